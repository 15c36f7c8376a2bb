import { Password } from '@lightbox/contract/users/schemas.js';
import { dictionary } from '@zxcvbn-ts/language-common';
import { expect, it } from 'vitest';
import { isCommon, refuseWeak } from './commonPasswords.js';

it('refuses the 3,000 commonest passwords that satisfy the rule', () => {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const matching = (dictionary['passwords-common'] as string[])
    .map(capital)
    .filter((password) => Password.safeParse(password).success)
    .slice(0, 3000);
  expect(matching).toHaveLength(3000);
  expect(matching.filter((password) => !isCommon(password))).toEqual([]);
});

it('refuses a common word of 3,000 with what a rule asks for behind it', () => {
  const words = (dictionary['passwords-common'] as string[]).filter((word) => /^[a-z]{6,}$/.test(word)).slice(0, 3000);
  const tails = ['1', '12', '123', '2024', '1!', '99$'];
  const made = words.map((word, i) => word.charAt(0).toUpperCase() + word.slice(1) + tails[i % tails.length]);
  expect(made.filter((password) => !isCommon(password))).toEqual([]);
});

it.each(['Password1', 'PASSWORD123', 'P@ssw0rd1', 'Qwerty12!', 'Dragon2024', 'Welcome1', 'Michael1', 'P@ssword1'])(
  'refuses %s',
  (password) => expect(isCommon(password)).toBe(true),
);

it.each(['Granite-Willow-77', 'Harbour-Lantern-42', 'Meadow-Copper-19', 'correct Horse battery 9', 'Xk7vQm2pLr'])(
  'takes %s',
  (password) => expect(isCommon(password)).toBe(false),
);

const ada = {
  firstname: 'Adélie',
  lastname: 'Okonkwo',
  username: 'snow.leopard77',
  email: 'a.okonkwo@riverbank.org',
};
it.each([
  ...['Lightbox1', 'Lightbox2026!', 'L1ghtb0x-2026', 'Radiology1', 'Hospital123', 'Qwe12345', 'Admin-Lightbox-1'],
  ...[
    'Adelie2026',
    'AdélieOkonkwo1',
    '0konkwo-Lightbox1',
    'Snow.Leopard77',
    'Snow-Leopard-1',
    'Riverbank2026',
    'OkonkwoPatient1',
  ],
])('refuses %s to Adélie Okonkwo', (password) => {
  expect(() => refuseWeak('password', password, ada)).toThrow();
});

it('the check is fast for any names, also when a password can be composed of them in many ways', () => {
  const names = { firstname: 'aaa', lastname: 'aaaa', username: 'aaaaa' };
  const since = process.cpuUsage();
  expect(() => refuseWeak('password', `${'A'.repeat(120)}bb1`, names)).not.toThrow();
  expect(() => refuseWeak('password', `${'A'.repeat(120)}1`, names)).toThrow();
  // Processor time, because other programs may use the machine.
  expect(process.cpuUsage(since).user).toBeLessThan(1_000_000);
});

it.each(['Snow-Granite-77', 'Adelie-Meadow-19', 'Hospital-Copper-19', 'Xk7vQm2pLr'])(
  'takes %s from Adélie Okonkwo, which is more than what is known of her',
  (password) => expect(() => refuseWeak('password', password, ada)).not.toThrow(),
);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { revokedMs, test } from './journey.js';
import { enterProviders, line, Person, password, register, tick, type Uploaded } from './person.js';
import { visit } from './screens/judge.js';

const assets = join(import.meta.dirname, '../../backend/assets/demo');
const wanted = { email: 'zoya.malik@example.org', username: 'zoya.malik', firstname: 'Zoya', lastname: 'Malik' };
const asif = { email: 'asif.jamil@example.org', username: 'asif.jamil', firstname: 'Asif', lastname: 'Jamil' };
const caption = 'Right thumb, after the fall';

let owner: Person;
let patient: Person;
let image: Uploaded;
const ids = { owner: '', patient: '' };
const faults: string[] = [];

test.beforeAll(async ({ browser, shared: product }) => {
  [owner] = (await enterProviders(product, browser, asif)) as [Person];
  await register(product, wanted, 'patient');
  patient = await Person.arrive(
    product,
    browser,
    { email: wanted.email, password },
    { viewport: { width: 390, height: 844 }, hasTouch: true },
  );
  await patient.enter();
  ids.owner = (await owner.call<{ id: string }>('/users/profile')).id;
  ids.patient = (await patient.call<{ id: string }>('/users/profile')).id;
  image = await owner.upload(caption, {
    name: 'thumb.jpg',
    mimeType: 'image/jpeg',
    buffer: readFileSync(join(assets, 'hand-xray.jpg')),
  });
});

afterAll(async () => {
  await Promise.all([owner, patient].map((person) => person?.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(Object.entries({ owner, patient }).map(([name, one]) => one.shootFailure(`failed-chat-${name}`)));
});

const say = (person: Person, recipientId: string, content: string) =>
  person.call('/message/send', 'POST', { recipientId, content });

test('An image is attached, opened with its code from the chat, and a revoke blanks its card at once.', async () => {
  const { page } = owner;
  await say(patient, ids.owner, 'Hello');
  await Promise.all([page.goto(`/messages?chat=${ids.patient}`), patient.page.goto(`/messages?chat=${ids.owner}`)]);
  await page.getByRole('button', { name: 'Attach an image' }).click();
  const picker = page.getByRole('dialog', { name: 'Attach images' });
  await tick(picker.getByRole('checkbox', { name: caption }));
  faults.push(...(await owner.look('chat-picker')));
  await picker.getByRole('button', { name: 'Attach 1 image' }).click();
  await page.getByText(/Zoya Malik will get access to this image until/).waitFor();
  faults.push(...(await owner.lookTwice('chat-chosen')));
  await page.getByRole('textbox', { name: 'Message to Zoya Malik' }).fill('Look at https://example.org/thumb, please.');
  await page.keyboard.press('Enter');
  await page.locator(`[data-attachment="${image.id}"][data-access=open]`).waitFor();

  const phone = patient.page;
  const card = phone.locator(`[data-attachment="${image.id}"]`);
  await card.getByText('Locked. Enter your code').click();
  const dialog = phone.getByRole('dialog');
  const shareId = await dialog.getByLabel('Enter Image Sharing Id:').inputValue();
  const mail = await patient.mailed('An image was shared with you');
  expect(line(mail, 'Sharing id')).toBe(shareId);
  await patient.enterCode(line(mail, 'Code'));
  await dialog.getByRole('button', { name: 'Open image' }).click();
  await phone.locator('[data-viewport][data-state=drawn]').waitFor();
  await phone.getByRole('button', { name: 'Back', exact: true }).click();
  await phone.waitForURL(`**/messages?chat=${ids.owner}`);
  await card.getByText(caption).waitFor();
  await card.getByRole('img').or(card.locator('img')).first().waitFor();
  faults.push(...(await patient.look('chat-card-phone-light')));
  faults.push(...(await owner.lookTwice('chat-log')));

  const blank = patient.whenTrue(
    `document.querySelector('[data-attachment="${image.id}"][data-access=none]') && !document.querySelector('[data-attachment] img')`,
  );
  await owner.call(`/sharing/${shareId}`, 'DELETE');
  const revoked = Date.now();
  expect((await blank) - revoked).toBeLessThan(revokedMs());
  await expect.poll(() => phone.getByRole('log').getByText(caption).count()).toBe(0);
});

test('A search finds a message far back without case and accents, and Escape keeps the place.', async () => {
  const { page } = owner;
  await say(patient, ids.owner, 'Das Röntgen war am Montag.');
  // The next test goes from this message to the one above it. The others come in any order.
  await say(patient, ids.owner, 'Message 0');
  await Promise.all(Array.from({ length: 54 }, (_, i) => say(patient, ids.owner, `Message ${i + 1}`)));
  await say(patient, ids.owner, 'The last one');
  await page.reload();
  const log = page.getByRole('log');
  await log.getByText('The last one', { exact: true }).waitFor();
  const top = async () => (await page.getByRole('heading', { name: 'Chats' }).boundingBox())?.y;
  const before = await top();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.getByRole('button', { name: 'Search in this chat' }).click();
  await page.getByRole('searchbox', { name: 'Search in this chat' }).fill('RONTGEN');
  await page.getByText('1 of 1').waitFor();
  const mark = log.locator('[data-found] mark');
  await mark.getByText('Röntgen', { exact: true }).waitFor();
  await expect.poll(() => mark.isVisible()).toBe(true);
  await expect.poll(top).toBe(before);
  faults.push(...(await owner.look('chat-search')));
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Search in this chat' }).waitFor({ state: 'detached' });
  const place = async () => (await log.getByText('Das Röntgen war am Montag.').boundingBox())?.y;
  await expect.poll(place).toBeGreaterThan(0);
  expect(asked.filter((url) => /rontgen/i.test(decodeURIComponent(url)))).toEqual([]);
});

test('A reply quotes a message by keyboard and by swipe, and the quote leads to it from far away.', async () => {
  const { page } = owner;
  const log = page.getByRole('log');
  // The search test leaves the log at this message.
  await log.getByText('Das Röntgen war am Montag.').hover();
  await log.locator('[data-message]', { hasText: 'Message 0' }).getByLabel('Message actions').focus();
  await page.keyboard.press('ArrowUp');
  await log.locator('[data-message]:focus-within', { hasText: 'Das Röntgen war am Montag.' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Reply' }).waitFor();
  faults.push(...(await owner.look('chat-menu')));
  await page.keyboard.press('Enter');
  await page.getByText('Reply to Zoya Malik').waitFor();
  await page.locator('[data-composer]:focus').waitFor();
  faults.push(...(await owner.lookTwice('chat-answering')));
  await page.locator('[data-composer]:focus').waitFor();
  await page.keyboard.type('It shows no fracture');
  await expect.poll(() => page.locator('[data-composer]').inputValue()).toBe('It shows no fracture');
  await page.keyboard.press('Enter');

  const phone = patient.page;
  await phone.reload();
  const quote = phone.getByRole('button', { name: /^In reply to\s*You\s*Das Röntgen/ });
  await quote.waitFor();
  faults.push(...(await patient.look('chat-reply-phone')));
  await quote.click();
  await phone.locator('[data-found]').getByText('Das Röntgen war am Montag.').waitFor();

  // The message may be outside of the view.
  await phone.getByRole('button', { name: /newest message/ }).click();
  const last = phone.locator('[data-message]', { hasText: 'It shows no fracture' }).last();
  await last.scrollIntoViewIfNeeded();
  const finger = { pointerType: 'touch', isPrimary: true, clientY: 300 };
  await last.dispatchEvent('pointerdown', { ...finger, clientX: 100 });
  for (const clientX of [115, 140, 180]) await last.dispatchEvent('pointermove', { ...finger, clientX });
  await last.dispatchEvent('pointerup', { ...finger, clientX: 180 });
  await phone.locator('[data-answering]').getByText('It shows no fracture').waitFor();
  await phone.getByRole('button', { name: 'Do not reply to this message' }).click();
});

test('An emoji is found in the picker by keyboard and put where the cursor is.', async () => {
  const { page } = owner;
  const field = page.getByRole('textbox', { name: 'Message to Zoya Malik' });
  await field.fill('Get well!');
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('button', { name: 'Insert an emoji' }).click();
  await page.getByRole('searchbox', { name: 'Search emoji' }).fill('sunflower');
  // The list of all emoji has it too. Enter takes the one that is named below the list.
  await page.getByText(/^🌻 sunflower$/i).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => field.inputValue()).toBe('Get well🌻!');
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('Get well🌻!').waitFor();
});

test('A voice message is recorded, sent and played; without permission the browser’s refusal is explained.', async () => {
  const { page } = owner;
  await page.getByRole('button', { name: 'Record a voice message' }).click();
  const recorder = page.getByRole('group', { name: 'Recording' });
  await page.locator('[data-recorder=recording]').waitFor();
  // At least two seconds: on a busy machine the clock is seldom seen.
  await recorder.getByText(/^0:(0[2-9]|[1-5]\d) \/ 3:00/).waitFor();
  faults.push(...(await owner.look('chat-recording')));
  await recorder.getByRole('button', { name: 'Send the recording' }).click();
  await recorder.waitFor({ state: 'detached' });

  const phone = patient.page;
  const player = phone.getByRole('group', { name: 'Voice message' });
  // The page itself watches: it plays only for seconds, and then the position is zero again.
  const past = (seconds: number) =>
    patient.whenTrue(`document.querySelector('[data-voice=playing] input[type=range]')?.value > ${seconds}`);
  const [begun] = [past(0.5), await player.getByRole('button', { name: 'Play' }).click()];
  await begun;
  await player.getByRole('button', { name: 'Speed: 1 times' }).click();
  faults.push(...(await patient.look('chat-voice-phone')));
  await player.getByRole('button', { name: 'Play' }).waitFor();
  await player.getByRole('slider', { name: 'Position' }).fill('1');
  const [gone] = [past(1.2), await player.getByRole('button', { name: 'Play' }).click()];
  await gone;

  await phone.evaluate(
    `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
  );
  await phone.getByRole('button', { name: 'Record a voice message' }).click();
  await phone
    .getByRole('alert')
    .getByText(/may not use the microphone/)
    .waitFor();
  faults.push(...(await patient.look('chat-denied-phone')));
  await phone.getByRole('button', { name: 'Close' }).click();
});

test('The list shows a draft, and a sender sees no reading of a person who turned receipts off.', async () => {
  const phone = patient.page;
  await visit(phone, '/profile');
  await tick(phone.getByRole('checkbox', { name: 'Read receipts' }), false);
  await expect
    .poll(() => patient.call<{ readReceipts: boolean }>('/users/profile'))
    .toMatchObject({ readReceipts: false });
  await visit(phone, `/messages?chat=${ids.owner}`);
  await phone.getByRole('textbox', { name: /^Message to/ }).fill('I wanted to ask');
  await say(owner, ids.patient, 'Is it better today?');
  await phone.getByRole('log').getByText('Is it better today?').waitFor();
  // The reading is stored: the number of unread messages is zero, also on the server.
  await expect.poll(async () => (await patient.call<{ unread: number }[]>('/message/chat-list'))[0]?.unread).toBe(0);
  await owner.page.locator('[data-own] [data-state=delivered]').last().waitFor();
  await owner.page.reload();
  await owner.page.locator('[data-own] [data-state=delivered]').last().waitFor();
  await expect.poll(() => owner.page.locator('[data-own] [data-state=read]').count()).toBe(0);
  await phone.getByRole('button', { name: 'Back to the chats' }).click();
  await phone.getByText('Draft:').waitFor();
  await phone.getByText('I wanted to ask').waitFor();
  faults.push(...(await patient.look('chat-draft')));
  await phone.evaluate(`localStorage.setItem('language', 'ur')`);
  await phone.goto(`/messages?chat=${ids.owner}`);
  await phone.locator('[role=log]').waitFor();
  faults.push(...(await patient.look('chat-urdu')));
});

test('No screen of the chat breaks WCAG 2.2 AA, and the console shows no error and no warning.', () => {
  expect(faults).toEqual([]);
  expect([owner, patient].flatMap((person) => person.complaints)).toEqual([]);
});

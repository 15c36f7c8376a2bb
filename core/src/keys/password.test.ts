import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { PasswordQueueFull } from './argon2.js';
import { digestOf, hashPassword, isPassword } from './password.js';

test('A password is right for its own hash, and for no other and no hash at all.', async () => {
  const stored = await hashPassword('Granite-Willow-77');
  const checks = [isPassword(stored, 'Granite-Willow-77'), isPassword(stored, 'granite'), isPassword(null, 'decoy')];
  expect(await Promise.all(checks)).toEqual([true, false, false]);
  expect(await digestOf('one', 'salt')).toBe(await digestOf('one', 'salt'));
  expect(await digestOf('one', 'salt')).not.toBe(await digestOf('one', 'other'));
});

test('A stored hash that is none fails its check alone.', async () => {
  await expect(isPassword('no hash', 'Granite-Willow-77')).rejects.toThrow();
  expect(await isPassword(null, 'Granite-Willow-77')).toBe(false);
});

test('Beyond two hundred checks that wait, a check is refused.', async () => {
  const cheap = '$argon2id$v=19$m=8,t=1,p=1$YSBzYWx0IGZvciB0ZXN0cw$ARSz8j1g0bBFCZQ3lc2M7u35AcYmeN85hoeJ90QN/CY';
  await isPassword(cheap, 'x');
  const settled = await Promise.allSettled(Array.from({ length: 204 }, () => isPassword(cheap, 'x')));
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every((reason) => reason instanceof PasswordQueueFull)).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'Checks have a lower priority than the thread that answers calls.',
  async () => {
    await isPassword(null, 'Granite-Willow-77');
    const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
    const lower = Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW);
    // Behind the name of the thread, the priority is the seventeenth field.
    const priorities = readdirSync('/proc/self/task').map((id) =>
      Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]),
    );
    expect(priorities).toContain(lower);
    expect(getPriority()).toBeLessThan(lower);
  },
);

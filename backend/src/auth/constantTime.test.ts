import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { constantTime } from './constantTime.js';

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await constantTime(120, work).catch(() => undefined);
  return Math.round((performance.now() - started) / 60);
};

// A busy machine delays a timer: one quiet try is enough.
it('results and errors are returned at the next multiple of the given time', { retry: 5 }, async () => {
  expect(
    await Promise.all([timed(async () => 1), timed(() => sleep(60)), timed(() => Promise.reject(new Error()))]),
  ).toEqual([2, 2, 2]);
  expect(await timed(() => sleep(150))).toBe(4);
  await expect(constantTime(10, async () => 'kept')).resolves.toBe('kept');
  await expect(constantTime(10, () => Promise.reject(new Error('kept')))).rejects.toThrow('kept');
});

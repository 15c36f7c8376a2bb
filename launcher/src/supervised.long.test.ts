import { type ChildProcess, spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { hasEnded } from './processes.js';
import { Supervised } from './supervised.js';

const ends = () => spawn(process.execPath, ['-e', '']);
const stays = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
const isAbsent = () => spawn('/no/such/program');
const throws = () => {
  throw new Error('ENOSPC: no space left on device');
};

it('A process that cannot be started again, as on a full disk, is tried again after longer pauses, and the launcher goes on.', async () => {
  const starts: (() => ChildProcess)[] = [ends, throws, isAbsent, stays];
  const [lines, reasons]: [string[], string[]] = [[], []];
  const one = new Supervised('A server', () => (starts.shift() ?? stays)(), {
    onSpawn: () => undefined,
    onGiveUp: (reason) => reasons.push(reason),
    say: (line) => lines.push(line),
  });
  one.alwaysRestart = true;
  onTestFinished(async () => void (await one.stop(10_000)));
  const first = one.start();
  if (first) one.supervise(first);
  await expect.poll(() => starts.length).toBe(0);
  expect(one.child && !hasEnded(one.child)).toBe(true);
  expect(reasons).toEqual([]);
  expect(lines.filter((line) => line.includes('could not be started (ENOSPC'))).toHaveLength(1);
});

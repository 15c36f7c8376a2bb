import { eventually } from '@lightbox/testkit/eventually.js';
import { expect, it, vi } from 'vitest';
import { grouped } from './group.js';

it('Items that arrive during a write are written together, and each caller gets its own result.', async () => {
  const batches: number[][] = [];
  let end: () => void = () => undefined;
  const written = new Promise<void>((resolve) => (end = resolve));
  const double = grouped(async (numbers: number[]) => {
    batches.push(numbers);
    await written;
    return numbers.map((n) => n * 2);
  });
  const first = double(1);
  await eventually(() => expect(batches).toHaveLength(1));
  const others = [double(2), double(3)];
  end();
  expect(await Promise.all([first, ...others])).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1], [2, 3]]);
});

it('Items that come one after the other in the same turn are written together, also when no write is under way.', async () => {
  const batches: number[][] = [];
  const write = grouped(async (numbers: number[]) => {
    batches.push(numbers);
    return numbers;
  });
  const first = write(1);
  await Promise.resolve();
  expect(await Promise.all([first, write(2)])).toEqual([1, 2]);
  expect(batches).toEqual([[1, 2]]);
});

it('A caller that waited too long for a failed write is rejected with it, instead of waiting for the next one.', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const batches: number[][] = [];
    let fail: (error: Error) => void = () => undefined;
    const write = grouped(async (numbers: number[]) => {
      batches.push(numbers);
      if (numbers.includes(0)) await new Promise((_, reject) => (fail = reject));
      return numbers;
    });
    const outcomes = [write(0)];
    await eventually(() => expect(batches).toHaveLength(1));
    outcomes.push(write(1));
    vi.advanceTimersByTime(6_000);
    outcomes.push(write(2));
    fail(new Error('Connection is closed.'));
    expect((await Promise.allSettled(outcomes)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(batches).toEqual([[0], [2]]);
  } finally {
    vi.useRealTimers();
  }
});

it('A write after a failed one succeeds.', async () => {
  const write = grouped(async (numbers: number[]) => {
    if (numbers.includes(0)) throw new Error('no');
    return numbers;
  });
  await expect(write(0)).rejects.toThrow('no');
  expect(await write(1)).toBe(1);
});

it('The next write begins before the callers of the last one go on, and they go on in the order of the writes.', async () => {
  const steps: string[] = [];
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  const write = grouped(async (numbers: number[]) => {
    steps.push(`write ${numbers}`);
    if (numbers.includes(1)) await held;
    if (numbers.includes(2)) throw new Error('no');
    return numbers;
  }, 1);
  const told = (n: number) => () => steps.push(`told ${n}`);
  const first = write(1).then(told(1));
  await eventually(() => expect(steps).toEqual(['write 1']));
  const others = [write(2).catch(told(2)), write(3).then(told(3))];
  end();
  await Promise.all([first, ...others]);
  expect(steps).toEqual(['write 1', 'write 2', 'write 3', 'told 1', 'told 2', 'told 3']);
});

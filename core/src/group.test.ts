import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { grouped } from './group.js';

it('writes together what comes while a write is under way, and gives everybody their own result', async () => {
  const batches: number[][] = [];
  const double = grouped(async (numbers: number[]) => {
    batches.push(numbers);
    await sleep(10);
    return numbers.map((n) => n * 2);
  });
  const first = double(1);
  await sleep(2);
  expect(await Promise.all([first, double(2), double(3)])).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1], [2, 3]]);
});

it('goes on after a write that failed', async () => {
  const write = grouped(async (numbers: number[]) => {
    if (numbers.includes(0)) throw new Error('no');
    return numbers;
  });
  await expect(write(0)).rejects.toThrow('no');
  expect(await write(1)).toBe(1);
});

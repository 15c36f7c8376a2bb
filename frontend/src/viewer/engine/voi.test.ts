import type { Types } from '@cornerstonejs/core';
import { levelIn, rangeOf, voiFunctionOf, windowOf } from '@lightbox/contract/images/voi.js';
import { expect, it } from 'vitest';
import { functionOf, sentRange, tableOf } from './voi';

const window = { center: 15.5, width: 25 };

it.each(['LINEAR', 'LINEAR_EXACT', 'SIGMOID'] as const)('A window is the same after its range: %s.', (by) => {
  expect(windowOf(rangeOf(window, by), by)).toEqual(window);
});

it.each(['LINEAR_EXACT', 'SIGMOID'] as const)('A window of small values is the same after its range: %s.', (by) => {
  for (const width of [0.5, 0.001]) {
    const range = rangeOf({ center: 0.002, width }, by);
    expect(windowOf(range, by)).toEqual({ center: expect.closeTo(0.002, 9), width: expect.closeTo(width, 9) });
  }
});

it('The functions differ as the standard says, and end in black and white.', () => {
  const levels = (by: Parameters<typeof levelIn>[1]) => [-99, 5, 15.5, 25, 99].map(levelIn(window, by));
  expect(levels('LINEAR')).toEqual(
    [0, -10 / 24 + 0.5, 0.5 / 24 + 0.5, 10 / 24 + 0.5, 1].map((one) => expect.closeTo(one)),
  );
  expect(levels('LINEAR_EXACT')).toEqual([0, 0.08, 0.5, 0.88, 1].map((one) => expect.closeTo(one)));
  expect(levels('SIGMOID')).toEqual([0, 0.15709, 0.5, 0.82055, 1].map((one) => expect.closeTo(one, 4)));
});

it('A function belongs to the windows of a file: a window that fits its values is linear.', () => {
  expect(voiFunctionOf({ windows: [window], voiFunction: 'SIGMOID' })).toBe('SIGMOID');
  expect(voiFunctionOf({ windows: [], voiFunction: 'SIGMOID' })).toBe('LINEAR');
});

it('The range of a picture is that of its window by its function.', () => {
  const image = (voiFunction?: string) =>
    ({ windowCenter: [15.5], windowWidth: [25], voiFunction }) as unknown as Types.IImage;
  expect(sentRange(image('LINEAR_EXACT'))).toEqual({ lower: 3, upper: 28 });
  expect(sentRange(image())).toEqual({ lower: 3, upper: 27 });
  expect(functionOf(image())).toBe('LINEAR');
});

it('A curve is a table for values with and without fractions, read as the library reads it.', () => {
  const { lut, firstValueMapped } = tableOf(window);
  const shift = Math.max(...lut).toString(2).length - 8;
  const level = levelIn(window, 'SIGMOID');
  for (const value of [-30, 5, 15.5, 15.57, 25, 61]) {
    expect((lut[value - firstValueMapped] as number) >> shift).toBe(Math.round(level(value) * 255));
  }
  expect((lut[0] as number) >> shift).toBe(0);
  expect((lut[lut.length - 1] as number) >> shift).toBe(255);
});

import { expect, it } from 'vitest';
import { compare, cut, scaled } from './measure.js';

const ramp = { width: 4, height: 2, samples: 1, values: [0, 10, 20, 30, 0, 10, 20, 30] };

it('pictures agree that are the same up to brightness and contrast, and no other ones', () => {
  const { values } = ramp;
  const brighter = values.map((value) => 40 + 3 * value);
  const inverted = values.map((value) => -value);
  const white = values.map(() => 255);
  expect(compare(brighter, values, false).ok).toBe(true);
  expect([inverted, white, values.slice(1)].map((other) => compare(other, values, false).ok)).not.toContain(true);
  expect(compare(white, values, true).ok).toBe(false);
  expect(compare(white, white, false)).toEqual({ text: 'flat', ok: true });
});

it('a part whose edges lie within pixels is scaled by the covered areas', () => {
  expect([...scaled(ramp, { width: 2, height: 1 })]).toEqual([5, 25]);
  const part = cut(ramp, { left: 0.5, top: 0, width: 3, height: 2 }, { width: 3, height: 1 });
  expect([...(part.values as Float64Array)]).toEqual([5, 15, 25]);
});

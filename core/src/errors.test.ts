import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { IntegrityError, unlessDamaged } from './errors.js';

afterEach(() => vi.useRealTimers());

it('a damaged record is told to the log once an hour, and each for itself', () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  const comeAcross = (record: string) =>
    unlessDamaged(log, () => {
      throw new IntegrityError(`What is sealed for ${record} was changed.`);
    });
  const told = () => lines.splice(0).map((line) => /sealed for (\S+)/.exec(line)?.[1]);

  // As the workers do every fifteen seconds.
  for (let s = 0; s < 3600; s += 15) {
    expect(comeAcross('profile/a')).toBeUndefined();
    if (s === 30) comeAcross('profile/b');
    vi.advanceTimersByTime(15_000);
  }
  expect(told()).toEqual(['profile/a', 'profile/b']);
  comeAcross('profile/a');
  comeAcross('profile/b');
  expect(told()).toEqual(['profile/a']);
});

it('what is whole is given, and other faults are not taken for damage', () => {
  const log = pino({ level: 'silent' });
  expect(unlessDamaged(log, () => 7)).toBe(7);
  expect(() =>
    unlessDamaged(log, () => {
      throw new TypeError('a fault of the program');
    }),
  ).toThrow(TypeError);
});

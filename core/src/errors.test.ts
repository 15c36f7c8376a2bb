import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { IntegrityError, unlessDamaged } from './errors.js';

afterEach(() => vi.useRealTimers());

it('Each damaged record is logged once an hour.', () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  const readDamaged = (record: string) =>
    unlessDamaged(log, () => {
      throw new IntegrityError(`The sealed value of ${record} was changed.`);
    });
  const logged = () => lines.splice(0).map((line) => /sealed value of (\S+)/.exec(line)?.[1]);

  // Workers read it every fifteen seconds.
  for (let s = 0; s < 3600; s += 15) {
    expect(readDamaged('profile/a')).toBeUndefined();
    if (s === 30) readDamaged('profile/b');
    vi.advanceTimersByTime(15_000);
  }
  expect(logged()).toEqual(['profile/a', 'profile/b']);
  readDamaged('profile/a');
  readDamaged('profile/b');
  expect(logged()).toEqual(['profile/a']);
});

it('An undamaged value is returned, and other errors do not count as damage.', () => {
  const log = pino({ level: 'silent' });
  expect(unlessDamaged(log, () => 7)).toBe(7);
  expect(() =>
    unlessDamaged(log, () => {
      throw new TypeError('a fault of the program');
    }),
  ).toThrow(TypeError);
});

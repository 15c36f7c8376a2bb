import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { active, lastActive, notedEveryMs, startActivity } from '../lib/activity';
import { idleState, warningMs, watchIdle } from './idle';

const minute = 60_000;
const idleMs = 30 * minute;

/** Dispatches the storage event that a browser sends when another tab recorded activity. */
function otherTabWasActive(at: number) {
  localStorage.setItem('activity', String(at));
  window.dispatchEvent(new StorageEvent('storage', { key: 'activity', newValue: String(at) }));
}

describe('an idle session', () => {
  it('An idle session is in warning two minutes before its end, and over at its end.', () => {
    const at = (now: number) => idleState(0, now, idleMs);
    expect(at(28 * minute - 1)).toMatchObject({ is: 'active' });
    expect(at(28 * minute)).toEqual({ is: 'warning', left: 2 * minute });
    expect(at(idleMs - 1)).toEqual({ is: 'warning', left: 1 });
    expect(at(idleMs)).toEqual({ is: 'over', left: 0 });
    // The computer slept: long after the end.
    expect(at(idleMs * 20)).toEqual({ is: 'over', left: 0 });
  });

  it('The warning takes at most half of the idle time.', () => {
    expect([1, 3, 4, 30].map((minutes) => warningMs(minutes * minute) / minute)).toEqual([0.5, 1.5, 2, 2]);
  });
});

describe('a tab', () => {
  const warn = vi.fn();
  const over = vi.fn();
  let stop = () => {};

  beforeEach(() => {
    vi.useFakeTimers();
    startActivity();
    stop = watchIdle(idleMs, { warn, over });
    warn.mockClear();
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
    vi.clearAllMocks();
  });

  it('A tab warns once, then ends the session once.', () => {
    vi.advanceTimersByTime(28 * minute - 1);
    expect(warn).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(warn).toHaveBeenLastCalledWith(true);
    expect(over).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2 * minute);
    expect(over).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(60 * minute);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('Activity withdraws the warning and restarts the idle time.', () => {
    vi.advanceTimersByTime(29 * minute);
    active();
    expect(warn).toHaveBeenLastCalledWith(false);
    vi.advanceTimersByTime(27 * minute);
    expect(over).not.toHaveBeenCalled();
    vi.advanceTimersByTime(3 * minute);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('Activity in another tab withdraws the warning in this tab.', () => {
    vi.advanceTimersByTime(20 * minute);
    otherTabWasActive(Date.now());
    vi.advanceTimersByTime(20 * minute);
    expect(warn).not.toHaveBeenCalledWith(true);
    vi.advanceTimersByTime(9 * minute);
    expect(warn).toHaveBeenLastCalledWith(true);
    otherTabWasActive(Date.now());
    expect(warn).toHaveBeenLastCalledWith(false);
    expect(over).not.toHaveBeenCalled();
  });

  it('A tab checks the idle time when it becomes visible after the computer slept.', () => {
    vi.setSystemTime(Date.now() + 8 * 60 * minute);
    document.dispatchEvent(new Event('visibilitychange'));
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('The client records activity at the same interval as the server.', () => {
    const start = lastActive();
    vi.advanceTimersByTime(notedEveryMs - 1);
    active();
    expect(lastActive()).toBe(start);
    vi.advanceTimersByTime(1);
    active();
    expect(lastActive()).toBe(start + notedEveryMs);
  });
});

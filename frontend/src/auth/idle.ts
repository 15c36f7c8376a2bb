import { lastActive, onActivity, startActivity } from '../lib/activity';

/** Returns how long before the end the warning appears, in ms: two minutes, or half of a short idle time. */
export const warningMs = (idleMs: number) => Math.min(2 * 60_000, idleMs / 2);

/** Returns the state of a session by its last activity. `left` is the time until its end, in ms. */
export function idleState(
  last: number,
  now: number,
  idleMs: number,
): { is: 'active' | 'warning' | 'over'; left: number } {
  const left = Math.max(0, last + idleMs - now);
  return { is: left === 0 ? 'over' : left <= warningMs(idleMs) ? 'warning' : 'active', left };
}

/**
 * Watches the idle time of one session in this tab. Calls `warn(true)` when the warning is due, `warn(false)` after new
 * activity in any tab, and `over` once at the end. Timers stop while the computer sleeps, so it checks again when the
 * tab becomes visible. Returns how to stop.
 */
export function watchIdle(
  idleMs: number,
  { warn, over }: { warn: (due: boolean) => void; over: () => void },
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const check = () => {
    clearTimeout(timer);
    if (ended) return;
    const { is, left } = idleState(lastActive(), Date.now(), idleMs);
    if (is === 'over') {
      ended = true;
      return over();
    }
    warn(is === 'warning');
    timer = setTimeout(check, is === 'warning' ? left : left - warningMs(idleMs));
  };
  if (!lastActive()) startActivity();
  const unsubscribe = onActivity(check);
  document.addEventListener('visibilitychange', check);
  window.addEventListener('focus', check);
  check();
  return () => {
    ended = true;
    clearTimeout(timer);
    unsubscribe();
    document.removeEventListener('visibilitychange', check);
    window.removeEventListener('focus', check);
  };
}

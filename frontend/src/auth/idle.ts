import { lastActive, onActivity, startActivity } from '../lib/activity';

/** How long before the end the person is asked; of a very short time, half. */
export const warningMs = (idleMs: number) => Math.min(2 * 60_000, idleMs / 2);

/** What an idle time comes to: nothing yet, the question, or the end. `left` is the time until the end. */
export function idleState(
  last: number,
  now: number,
  idleMs: number,
): { is: 'active' | 'warning' | 'over'; left: number } {
  const left = Math.max(0, last + idleMs - now);
  return { is: left === 0 ? 'over' : left <= warningMs(idleMs) ? 'warning' : 'active', left };
}

/**
 * Watches one session in this tab. `warn` is told each way: asked when the question is due, and when somebody was active
 * after all, here or in another tab. A clock that stood still (a closed lid) is looked at again when the tab is seen.
 */
export function watchIdle(
  idleMs: number,
  { warn, over }: { warn: (due: boolean) => void; over: () => void },
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const look = () => {
    clearTimeout(timer);
    if (ended) return;
    const { is, left } = idleState(lastActive(), Date.now(), idleMs);
    if (is === 'over') {
      ended = true;
      return over();
    }
    warn(is === 'warning');
    timer = setTimeout(look, is === 'warning' ? left : left - warningMs(idleMs));
  };
  if (!lastActive()) startActivity();
  const forget = onActivity(look);
  document.addEventListener('visibilitychange', look);
  window.addEventListener('focus', look);
  look();
  return () => {
    ended = true;
    clearTimeout(timer);
    forget();
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('focus', look);
  };
}

/**
 * The time when this person last did something that the server counts as activity, shared by all tabs of this browser.
 */

const key = 'activity';
/**
 * The server records activity at most once in this time. The client does the same, so both count from the same moments.
 */
export const notedEveryMs = 10_000;

/** Used when local storage is not available. */
let memory = 0;

export function lastActive(): number {
  try {
    return Number(localStorage.getItem(key)) || memory;
  } catch {
    return memory;
  }
}

const listeners = new Set<() => void>();

function note(at: number) {
  memory = at;
  try {
    localStorage.setItem(key, String(at));
  } catch {
    // Local storage is not available: only this tab knows the time.
  }
  for (const listener of listeners) listener();
}

/** Records activity after a call or a socket event of this person reached the server; `at` is the time it was sent. */
export function active(at = Date.now()) {
  if (at - lastActive() >= notedEveryMs) note(at);
}

/** Records the start of a session: its idle time counts from now, whatever was recorded before. */
export const startActivity = () => note(Date.now());

/** Calls the listener when this tab or another one recorded activity. Returns how to unsubscribe. */
export function onActivity(listener: () => void): () => void {
  const fromOtherTab = (event: StorageEvent) => {
    if (event.key === key) listener();
  };
  listeners.add(listener);
  window.addEventListener('storage', fromOtherTab);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', fromOtherTab);
  };
}

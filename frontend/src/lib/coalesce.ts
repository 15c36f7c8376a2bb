interface Waiting {
  work: () => void;
}

const waiting = new Map<string, Waiting>();

/**
 * Runs the work once for a burst of calls, `ms` after the first call, so that a steady stream of calls cannot delay it.
 */
export function coalesce(key: string, work: () => void, ms = 250) {
  const due = waiting.get(key);
  if (due) {
    due.work = work;
    return;
  }
  const next: Waiting = { work };
  waiting.set(key, next);
  setTimeout(() => {
    waiting.delete(key);
    next.work();
  }, ms);
}

interface Waiting {
  work: () => void;
}

const waiting = new Map<string, Waiting>();

/** Does the same work once for a burst of reasons: `ms` after the first one, so that reasons without end do not put it off. */
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

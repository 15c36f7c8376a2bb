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

const LONGEST_MS = 4000;
const streams = new Map<string, { at: number; pause: number }>();

/**
 * Runs the work as `coalesce` does, but less and less often while the calls go on: up to once in four seconds. For events
 * that come by the hundred, as when a study is uploaded.
 */
export function coalesceStream(key: string, work: () => void, ms = 250) {
  const last = streams.get(key);
  const pause = last && Date.now() - last.at < LONGEST_MS ? Math.min(last.pause * 2, LONGEST_MS) : ms;
  const run = () => {
    streams.set(key, { at: Date.now(), pause });
    work();
  };
  coalesce(key, run, pause);
}

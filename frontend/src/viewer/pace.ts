import { limits } from '@lightbox/contract/limits.js';

/** Milliseconds between two events of one kind: a fifth more than the server asks for, because some arrive close together. */
const PACE_MS = (1_000 / limits.viewEventsPerSecond) * 1.2;

/** Sends the newest value on a frame of the screen, and no more often than the server takes. The last one is always sent. */
export function paced<T>(send: (value: T) => void): { push: (value: T) => void; stop: () => void } {
  let last = Number.NEGATIVE_INFINITY;
  let waiting: { value: T } | undefined;
  let due = 0;
  const tick = (now: number) => {
    due = 0;
    if (!waiting) return;
    if (now - last < PACE_MS) {
      due = requestAnimationFrame(tick);
      return;
    }
    const { value } = waiting;
    waiting = undefined;
    last = now;
    send(value);
  };
  return {
    push: (value) => {
      waiting = { value };
      due ||= requestAnimationFrame(tick);
    },
    stop: () => cancelAnimationFrame(due),
  };
}

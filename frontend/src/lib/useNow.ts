import { useEffect, useReducer, useSyncExternalStore } from 'react';

/** Returns the current time; renders again at least every `everyMs` while `running`. */
export function useNow(everyMs: number, running = true): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(tick, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, running]);
  return Date.now();
}

const everySecond = (tick: () => void) => {
  const timer = setInterval(tick, 1_000);
  return () => clearInterval(timer);
};

/** Asks a question about the current time every second, and renders again only when its answer changes. */
export const useAtNow = (isTrue: (now: number) => boolean): boolean =>
  useSyncExternalStore(everySecond, () => isTrue(Date.now()));

import { useEffect, useReducer } from 'react';

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

import { setTimeout } from 'node:timers/promises';

/** Ends early, and quietly, when the worker stops. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

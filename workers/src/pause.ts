import { setTimeout } from 'node:timers/promises';

/** Waits. It resolves early, without an error, when the worker stops. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

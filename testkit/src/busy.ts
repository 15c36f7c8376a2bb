import { availableParallelism, loadavg } from 'node:os';

/** Returns a limit for a time that a test measures: as given, and longer on a machine with more work than cores. */
export const whenBusy = (ms: number): number => ms * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

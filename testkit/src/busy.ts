import { availableParallelism, loadavg } from 'node:os';

/**
 * Returns a limit in whole milliseconds for a time that a test measures: as given, and longer on a machine with more work
 * than cores.
 */
export const whenBusy = (ms: number): number =>
  Math.ceil(ms * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));

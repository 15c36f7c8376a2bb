import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Settles with `work` at the next multiple of `ms` after its start. The work for an address with an account never takes
 * exactly as long as the work for one without; this hides the difference.
 */
export async function constantTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    await sleep(ms - ((performance.now() - started) % ms));
  }
}

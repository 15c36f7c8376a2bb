import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Settles with `work` at the next multiple of `ms` after its start. What is done for an address that has an account and
 * for one that has none never costs quite the same; this way the difference does not show.
 */
export async function constantTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    await sleep(ms - ((performance.now() - started) % ms));
  }
}

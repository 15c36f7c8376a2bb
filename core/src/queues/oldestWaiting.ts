import type { Job, Queue } from 'bullmq';

export const couldRunAt = ({ timestamp, opts }: Job): number => timestamp + (opts.delay ?? 0);

/** So many of the jobs that have a place are looked at. */
const SAMPLES = 16;

/**
 * Returns the time from which the oldest job waits that could run now. Jobs with a place lie in its order, not in that of
 * time: of them the first, the last and some in between are looked at.
 */
export async function oldestWaiting(queue: Queue): Promise<Date | undefined> {
  const last = (await queue.getJobCountByTypes('prioritized')) - 1;
  const ranks = new Set(Array.from({ length: SAMPLES }, (_, i) => Math.round((last * i) / (SAMPLES - 1))));
  const jobs = await Promise.all([
    queue.getJobs(['waiting'], 0, 0, true),
    ...(last < 0 ? [] : [...ranks].map((rank) => queue.getJobs(['prioritized'], rank, rank, true))),
  ]);
  const times = (jobs.flat() as (Job | undefined)[]).flatMap((job) => (job ? [couldRunAt(job)] : []));
  return times.length > 0 ? new Date(Math.min(...times)) : undefined;
}

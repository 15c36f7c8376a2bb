import type { Job, Queue } from 'bullmq';

export const couldRunAt = ({ timestamp, opts }: Job): number => timestamp + (opts.delay ?? 0);

/** Returns the time from which the oldest job waits that could run now. Each list is read at its end only. */
export async function oldestWaiting(queue: Queue): Promise<Date | undefined> {
  const jobs = (await queue.getJobs(['waiting', 'prioritized'], 0, 0, true)) as (Job | undefined)[];
  const times = jobs.flatMap((job) => (job ? [couldRunAt(job)] : []));
  return times.length > 0 ? new Date(Math.min(...times)) : undefined;
}

import type { Job, Queue } from 'bullmq';

/** Returns the time from which the oldest job waits that could run now. Each list is read at its end only. */
export async function oldestWaiting(queue: Queue): Promise<Date | undefined> {
  const jobs = (await queue.getJobs(['waiting', 'prioritized'], 0, 0, true)) as (Job | undefined)[];
  const times = jobs.flatMap((job) => (job ? [job.timestamp + (job.opts.delay ?? 0)] : []));
  return times.length > 0 ? new Date(Math.min(...times)) : undefined;
}

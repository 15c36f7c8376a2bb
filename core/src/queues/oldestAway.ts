import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { couldRunAt } from './oldestWaiting.js';

/**
 * The jobs of a queue that wait for a part that is away, by the time from which they could run. BullMQ keeps them among the
 * jobs that wait for their time.
 */
const keyOf = (queue: string): string => `lightbox:away:${queue}`;

export const noteAway = (redis: Redis, job: Job): Promise<unknown> =>
  redis.zadd(keyOf(job.queueName), 'NX', couldRunAt(job), job.id ?? '');

export const forgetAway = (redis: Redis, job: Job): Promise<unknown> => redis.zrem(keyOf(job.queueName), job.id ?? '');

const ended = new Set(['completed', 'failed', 'unknown']);

/** Returns the time from which the oldest job could run that waits for a part that is away. */
export async function oldestAway(redis: Redis, queue: Queue): Promise<Date | undefined> {
  for (;;) {
    const [id, since] = await redis.zrange(keyOf(queue.name), '0', '0', 'WITHSCORES');
    if (!id) return undefined;
    if (!ended.has(await queue.getJobState(id))) return new Date(Number(since));
    // A person removed the job, or its worker died after its end.
    await redis.zrem(keyOf(queue.name), id);
  }
}

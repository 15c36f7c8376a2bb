import { type QueueName, queueNames } from '@lightbox/contract/queues.js';
import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../db/clock.js';
import { type JobData, type JobName, jobs } from './jobs.js';

export interface JobRequest<N extends JobName = JobName> {
  name: N;
  data: JobData<N>;
  /**
   * A second job with the same id is not added while the first is stored. This only saves work: effects have unique
   * keys of their own.
   */
  id?: string;
  delayMs?: number;
  /** Only one job with this key waits at a time. */
  once?: string;
}

/**
 * Adds jobs. Fails at once while Redis is away: the caller has stored an event, and the sweeper adds its jobs later.
 */
export class Queues {
  readonly all: Record<QueueName, Queue>;

  constructor(
    private readonly redis: Redis,
    private readonly clock: Clock,
  ) {
    this.all = Object.fromEntries(
      queueNames.map((name) => [
        name,
        new Queue(name, {
          connection: redis,
          skipMetasUpdate: true,
          defaultJobOptions: { removeOnComplete: { count: 500, age: 3600 }, removeOnFail: { count: 5_000 } },
        }),
      ]),
    ) as Record<QueueName, Queue>;
    for (const queue of Object.values(this.all)) queue.on('error', () => undefined);
  }

  async add(requests: JobRequest[]): Promise<void> {
    // BullMQ itself would wait for a Redis that was never connected.
    if (this.redis.status !== 'ready') throw new Error('Connection is closed.');
    for (const name of queueNames) {
      const mine = requests.filter((request) => jobs[request.name].queue === name);
      if (mine.length > 0) await this.all[name].addBulk(mine.map((request) => toBullMq(request, this.clock.now())));
    }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.all).map((queue) => queue.close()));
  }
}

function toBullMq(request: JobRequest, now: Date): { name: string; data: unknown; opts: JobsOptions } {
  const { attempts, backoff } = jobs[request.name];
  return {
    name: request.name,
    data: request.data,
    opts: {
      attempts,
      // The time from which a delay counts.
      timestamp: now.getTime(),
      backoff: { type: 'exponential', delay: backoff },
      ...(request.id ? { jobId: request.id } : {}),
      ...(request.delayMs ? { delay: request.delayMs } : {}),
      ...(request.once ? { deduplication: { id: request.once } } : {}),
    },
  };
}

import { type QueueName, queueNames } from '@lightbox/contract/queues.js';
import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../db/clock.js';
import { type TraceText, traceHere } from '../tracing/traces.js';
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
  /** A person waits for the job: it comes before all jobs that were moved behind others. */
  awaited?: boolean;
  /** The place in the queue, from 1 on: it comes after all jobs with a smaller place or none. */
  place?: number;
  /** The trace that the job continues; without it, that of the work that adds the job. */
  trace?: TraceText;
}

/**
 * The priority of a job that a person waits for, as BullMQ counts: jobs without a priority come first, then those with a
 * small one. Jobs that are moved behind others have larger ones.
 */
export const AWAITED_PRIORITY = 1;

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
  // A job that stands for those of many callers belongs to no trace.
  const trace = request.once ? undefined : (request.trace ?? traceHere());
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
      ...(request.awaited ? { priority: AWAITED_PRIORITY } : {}),
      ...(request.place ? { priority: AWAITED_PRIORITY + request.place } : {}),
      ...(trace ? { telemetry: { metadata: trace } } : {}),
    },
  };
}

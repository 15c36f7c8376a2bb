import type { QueueName } from '@lightbox/contract/queues.js';
import type { Core } from '@lightbox/core/core.js';
import { type JobName, jobs, schedule } from '@lightbox/core/queues/jobs.js';
import { connectRedis } from '@lightbox/core/redis.js';
import { type Job, UnrecoverableError, Worker } from 'bullmq';
import { withoutForeignText } from './failures.js';
import { handlers, type Tools } from './handlers.js';

export interface JobContext {
  /** Nothing will try again after this one. */
  isLastAttempt: boolean;
  /** Aborted when the worker stops. */
  signal: AbortSignal;
}

/** A worker that was killed is noticed after this long, instead of BullMQ's minute. */
const LOCK_MS = 5_000;

/** A BullMQ worker for one queue. Jobs are small, repeatable and checked against their declaration before they run. */
export function runQueue(queue: QueueName, tools: Tools, signal: AbortSignal): Worker {
  const { core } = tools;
  const connection = connectRedis(core.config.redisUrl, 'patient');
  const worker = new Worker(queue, (job) => work(tools, job, signal), {
    connection,
    concurrency: core.config.worker.concurrency[queue],
    lockDuration: LOCK_MS,
    stalledInterval: LOCK_MS,
    maxStalledCount: 3,
  });
  worker.on('error', () => undefined);
  worker.on('failed', (job, error) => {
    core.log.warn({ job: job?.name, id: job?.id, attempt: job?.attemptsMade, reason: error.message }, 'job failed');
  });
  worker.on('closed', () => connection.disconnect());
  return worker;
}

async function work(tools: Tools, job: Job, signal: AbortSignal): Promise<unknown> {
  if (!Object.hasOwn(jobs, job.name)) throw new UnrecoverableError(`There is no job '${job.name}'.`);
  const name = job.name as JobName;
  const data = jobs[name].data.safeParse(job.data);
  if (!data.success) throw new UnrecoverableError(`The data of '${name}' are not what it takes.`);
  const isLastAttempt = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
  const handler = handlers[name] as (tools: Tools, data: unknown, context: JobContext) => Promise<unknown>;
  await handler(tools, data.data, { isLastAttempt, signal }).catch((error) => {
    throw withoutForeignText(error);
  });
  return null;
}

/** Enters the jobs that come round by themselves; any number of workers may do so. */
export async function enterSchedule(core: Core): Promise<void> {
  for (const [name, every] of Object.entries(schedule) as [JobName, number][]) {
    await core.queues.all[jobs[name].queue].upsertJobScheduler(name, { every }, { name, data: {} });
  }
}

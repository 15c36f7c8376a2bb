import type { QueueName } from '@lightbox/contract/queues.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { type JobName, jobs } from '@lightbox/core/queues/jobs.js';
import { AWAITED_PRIORITY } from '@lightbox/core/queues/queues.js';
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { JobFailed, withoutForeignText } from './failures.js';
import { handlers, type Tools } from './handlers.js';
import type { JobContext } from './jobContext.js';
import { tasks } from './maintenance/tasks.js';

/** The jobs of a killed worker are taken up after this time, instead of BullMQ's minute. */
const LOCK_MS = 5_000;
/** A job waits this long for a part that is away. The time doubles with each attempt, up to `most`. */
const AWAY_MS = { first: 2_000, most: 30_000 };
/** A job of a newer version waits this long for a process of that version. */
const UNKNOWN_MS = 10_000;
/** Events are stored no longer than this, so an older job cannot be done any more. */
const OLDEST_MS = 7 * 24 * 3_600_000;

/** Starts a BullMQ worker for one queue. Jobs are small and repeatable, and their data is validated before they run. */
export function runQueue(queue: QueueName, tools: Tools, signal: AbortSignal): Worker {
  const { core } = tools;
  const connection = connectRedis(core.config.redisUrl, 'patient');
  const worker = new Worker(queue, (job, token) => work(tools, job, token, signal), {
    connection,
    concurrency: core.config.worker.concurrency[queue],
    lockDuration: LOCK_MS,
    stalledInterval: LOCK_MS,
    maxStalledCount: 3,
  });
  worker.on('error', () => undefined);
  worker.on('completed', (job) => measure(core, job));
  worker.on('failed', (job, error) => {
    if (job) measure(core, job);
    core.log.warn({ job: job?.name, id: job?.id, attempt: job?.attemptsMade, reason: error.message }, 'job failed');
  });
  worker.on('closed', () => connection.disconnect());
  return worker;
}

/** Of a job that no table names, the name is not shown: an older or newer version chose it. */
function measure({ metrics }: Core, { name, queueName, processedOn, finishedOn = Date.now() }: Job): void {
  const known = Object.hasOwn(jobs, name) ? name : 'other';
  if (processedOn) metrics.tookJob(queueName, known, finishedOn - processedOn);
}

async function work(tools: Tools, job: Job, token: string | undefined, signal: AbortSignal): Promise<null> {
  const { core } = tools;
  const later = async (ms: number): Promise<never> => {
    await job.moveToDelayed(Date.now() + ms, token);
    throw new DelayedError();
  };
  const behind = async (place: number): Promise<never> => {
    await job.changePriority({ priority: AWAITED_PRIORITY + place });
    await job.moveToWait(token);
    throw new WaitingError();
  };
  if (Object.hasOwn(tasks, job.name)) return forgetScheduler(tools, job);
  if (!Object.hasOwn(jobs, job.name)) {
    if (core.clock.now().getTime() - job.timestamp < OLDEST_MS) return later(UNKNOWN_MS);
    throw new UnrecoverableError(`There is no job '${job.name}'.`);
  }
  const name = job.name as JobName;
  const isLastAttempt = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
  try {
    const parsed = jobs[name].data.safeParse(job.data);
    // This is retried like any failure: the data may be of a newer version, and then a process of that version does the job.
    if (!parsed.success) throw new JobFailed(`The data of '${name}' are not what it takes.`);
    const handler = handlers[name] as (tools: Tools, data: unknown, context: JobContext) => Promise<unknown>;
    await core.elections.steady(() =>
      handler(tools, parsed.data, { isLastAttempt, signal, later, hasPlace: job.priority > 0, behind }),
    );
    await settle(tools, job);
    return null;
  } catch (error) {
    if (isAway(error)) {
      core.warn(withoutForeignText(error), 'a job waits for a part that is away');
      return later(Math.min(AWAY_MS.first * 2 ** (job.attemptsStarted - 1), AWAY_MS.most));
    }
    const moved = error instanceof DelayedError || error instanceof WaitingError;
    if (!moved && (isLastAttempt || error instanceof UnrecoverableError)) {
      await settle(tools, job).catch(() => undefined);
    }
    throw withoutForeignText(error);
  }
}

/** Marks the job of the event as done, also when it failed for good. */
async function settle({ core }: Tools, { name, data }: Job): Promise<void> {
  const { eventId } = data as { eventId?: unknown };
  if (typeof eventId === 'string') await core.events.settle(eventId, name as JobName);
}

/** Removes a repeating job that an older version left in Redis. */
async function forgetScheduler({ core }: Tools, { name, queueName }: Job): Promise<null> {
  await core.queues.all[queueName as QueueName].removeJobScheduler(name);
  return null;
}

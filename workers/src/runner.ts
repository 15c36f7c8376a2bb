import type { QueueName } from '@lightbox/contract/queues.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { type JobName, jobs } from '@lightbox/core/queues/jobs.js';
import { forgetAway, noteAway } from '@lightbox/core/queues/oldestAway.js';
import { AWAITED_PRIORITY } from '@lightbox/core/queues/queues.js';
import { DAY_MS } from '@lightbox/core/times.js';
import { inSpan, underTrace } from '@lightbox/core/tracing/traces.js';
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { NewerVersion, withoutForeignText } from './failures.js';
import { endings, handlers, type Tools } from './handlers.js';
import type { JobContext } from './jobContext.js';
import { tasks } from './maintenance/tasks.js';
import { RendererAway, RendererDied } from './previews/renderer.js';

/** The jobs of a killed worker are taken up after this time, instead of BullMQ's minute. */
const LOCK_MS = 5_000;
/**
 * A job that ends its worker, or the renderer, each time must come to an end. After so many deaths one after the other it is taken up once more,
 * and the next time it is given up (`endings`). Two queues decode foreign files. The jobs of the others are harmless, but the
 * file of another job may end their worker.
 */
const mostDeaths = (queue: QueueName): number => (queue === 'previews' || queue === 'analysis' ? 3 : 10);
/** A job waits this long for a part that is away. The time doubles with each attempt, up to `most`. */
const AWAY_MS = { first: 2_000, most: 30_000 };
/** A job of a newer version waits this long for a process of that version. */
const UNKNOWN_MS = 10_000;
/** Events are stored no longer than this, so an older job cannot be done any more. */
const OLDEST_MS = 7 * DAY_MS;

/** Starts a BullMQ worker for one queue. Jobs are small and repeatable, and their data is validated before they run. */
export function runQueue(queue: QueueName, tools: Tools, signal: AbortSignal): Worker {
  const { core } = tools;
  const connection = connectRedis(core.config.redisUrl, 'patient');
  const worker = new Worker(queue, (job, token) => traced(job, () => work(tools, job, token, signal)), {
    connection,
    concurrency: core.config.worker.concurrency[queue],
    lockDuration: LOCK_MS,
    stalledInterval: LOCK_MS,
    // BullMQ would fail the job by itself, and nobody would be told.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
  });
  worker.on('error', () => undefined);
  // Redis was away, or this process got no processor time. It lives all the same.
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) void forgetDeaths(core, queue, id);
  });
  core.metrics.failedJobs(queue, 0);
  worker.on('completed', (job) => {
    measure(core, job);
    underTrace(traceOf(job), () => core.log.debug({ job: job.name, id: job.id }, 'job done'));
  });
  worker.on('failed', (job, error) => {
    if (job) measure(core, job);
    // A job that is tried again has no end yet.
    if (job?.finishedOn) core.metrics.failedJobs(queue, 1);
    const facts = { job: job?.name, id: job?.id, attempt: job?.attemptsMade, reason: error.message };
    underTrace(job && traceOf(job), () => core.log.warn(facts, 'job failed'));
  });
  worker.on('closed', () => connection.disconnect());
  return worker;
}

/** The trace of the work that added the job. */
const traceOf = ({ opts }: Job): string | undefined => opts.telemetry?.metadata;

/** Runs an attempt in a span, if the job belongs to a trace. An attempt that is put off has failed as one that throws. */
function traced(job: Job, attempt: () => Promise<null>): Promise<null> {
  const parent = traceOf(job);
  if (!parent) return attempt();
  const attributes = { 'messaging.system': 'bullmq', 'messaging.destination.name': job.queueName };
  return inSpan(`job ${nameOf(job)}`, { kind: 'CONSUMER', parent, attributes }, attempt);
}

/** Of a job that no table names, the name is not shown: an older or newer version chose it. */
const nameOf = ({ name }: Job): string => (Object.hasOwn(jobs, name) ? name : 'other');

function measure({ metrics }: Core, job: Job): void {
  const { queueName, processedOn, finishedOn = Date.now() } = job;
  if (processedOn) metrics.tookJob(queueName, nameOf(job), finishedOn - processedOn);
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
  const isYoung = core.clock.now().getTime() - job.timestamp < OLDEST_MS;
  if (!Object.hasOwn(jobs, job.name)) {
    if (isYoung) return later(UNKNOWN_MS);
    throw new UnrecoverableError(`There is no job '${job.name}'.`);
  }
  const name = job.name as JobName;
  const isLastAttempt = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
  const isGivenUp = job.stalledCounter > mostDeaths(job.queueName as QueueName);
  // A job that is given up, but cannot be while a part is away, must not run again.
  let isAlive = !isGivenUp;
  // A renderer that is away says nothing about the file.
  let keepsDeaths = false;
  try {
    const parsed = jobs[name].data.safeParse(job.data);
    if (!parsed.success) throw new NewerVersion(`The data of '${name}' are not what it takes.`);
    if (isGivenUp) {
      await endings[name]?.(tools, parsed.data as never);
      isAlive = true;
      throw new UnrecoverableError('Its worker or the renderer ended during it too often.');
    }
    const handler = handlers[name] as (tools: Tools, data: unknown, context: JobContext) => Promise<unknown>;
    await core.elections.steady(() =>
      handler(tools, parsed.data, { isLastAttempt, signal, later, hasPlace: job.priority > 0, behind }),
    );
    await settle(tools, job);
    await awayNoMore(core, job);
    return null;
  } catch (error) {
    if (isAway(error)) {
      core.warn(withoutForeignText(error), 'a job waits for a part that is away');
      // The next attempt notes it, if Redis does not answer now.
      await noteAway(core.redis, job).catch(() => undefined);
      keepsDeaths = error instanceof RendererAway;
      const wait = Math.min(AWAY_MS.first * 2 ** (job.attemptsStarted - 1), AWAY_MS.most);
      // Awaited here: nothing would catch it while `finally` waits.
      return await later(error instanceof RendererDied ? await afterDeath(core, job, wait) : wait);
    }
    await awayNoMore(core, job);
    if (error instanceof NewerVersion && isYoung) return await later(UNKNOWN_MS);
    const moved = error instanceof DelayedError || error instanceof WaitingError;
    if (!moved && (isLastAttempt || error instanceof UnrecoverableError || error instanceof NewerVersion)) {
      await settle(tools, job).catch(() => undefined);
    }
    throw error instanceof NewerVersion ? new UnrecoverableError(error.message) : withoutForeignText(error);
  } finally {
    if (isAlive && !keepsDeaths && job.stalledCounter > 0)
      await forgetDeaths(core, job.queueName as QueueName, job.id ?? '');
  }
}

/**
 * A worker that lives after an attempt, or during it, did not die by it. BullMQ counts in `stc` how often nobody held the lock
 * of a job.
 */
async function forgetDeaths({ queues, redis }: Core, queue: QueueName, id: string): Promise<void> {
  await redis.hdel(queues.all[queue].toKey(id), 'stc').catch(() => undefined);
}

/**
 * Counts a death of the renderer service as one of the job's. Returns the time until its next attempt: none when that gives it
 * up, else a different one for each job, so that a file that kills the service does not take the same others with it again.
 */
async function afterDeath({ queues, redis }: Core, { id = '', queueName }: Job, wait: number): Promise<number> {
  const queue = queueName as QueueName;
  const deaths = await redis.hincrby(queues.all[queue].toKey(id), 'stc', 1).catch(() => 0);
  return deaths > mostDeaths(queue) ? 0 : wait * (1 + Math.random());
}

/** If Redis does not answer now, `oldestAway` forgets the job after its end. */
async function awayNoMore({ redis }: Core, job: Job): Promise<void> {
  if (job.attemptsStarted > 1) await forgetAway(redis, job).catch(() => undefined);
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

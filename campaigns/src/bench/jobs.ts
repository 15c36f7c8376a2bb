import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@lightbox/core/db/ids.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { judged, plain, type Row, spread } from './report.js';
import type { Site } from './site.js';
import { inTurn, median } from './stats.js';

const BACKLOG = 4_000;
const BULK = 500;
const ROUNDS = 3;
const SINGLE = 100;
const SINGLE_GAP_MS = 50;

/** A queue with a worker that does ten jobs at a time. */
interface Contender {
  name: string;
  /** The name of the job, and its data. */
  job: string;
  data: () => object;
}

/** The product's smallest job: a push for a message that is gone. Like the bare job, it reads one record of MongoDB. */
const product: Contender = {
  name: 'notifications',
  job: 'pushMessage',
  data: () => ({ messageId: String(newId()) }),
};
const bare: Contender = { name: 'bare', job: 'read', data: () => ({ messageId: String(newId()) }) };

/** Compares the jobs of a worker with bare BullMQ, both with ten at a time. */
export async function benchJobs(site: Site): Promise<Row[]> {
  const worker = await site.startBareWorker();
  const connections = Array.from({ length: 3 }, () => connectRedis(site.redisUrl, 'patient'));
  const [adding, ...reading] = connections as [Redis, ...Redis[]];
  const queues = [product, bare].map(({ name }) => new Queue(name, { connection: adding }));
  const events = [product, bare].map(({ name }, i) => new QueueEvents(name, { connection: reading[i] as Redis }));
  const [ours, theirs] = queues as [Queue, Queue];
  await Promise.all([...queues, ...events].map((one) => one.waitUntilReady()));
  const drains = await inTurn(ROUNDS, { product: () => drain(ours, product), bare: () => drain(theirs, bare) });
  const singles = await inTurn(ROUNDS, {
    product: () => addToComplete(ours, events[0] as QueueEvents, product),
    bare: () => addToComplete(theirs, events[1] as QueueEvents, bare),
  });
  await Promise.all([...queues, ...events].map((one) => one.close()));
  for (const connection of connections) connection.disconnect();
  await worker.stop();
  const job = 'jobs, 10 at a time';
  const rate = median(drains.product) / median(drains.bare);
  const wait = median(singles.product) / median(singles.bare);
  return [
    plain(job, 'product, jobs/s', spread(drains.product)),
    plain(job, 'bare BullMQ, jobs/s', spread(drains.bare)),
    judged(job, 'ratio', rate, '>= 0.8', rate >= 0.8),
    plain(job, 'product, add to complete, p50 ms', spread(singles.product)),
    plain(job, 'bare BullMQ, add to complete, p50 ms', spread(singles.bare)),
    judged(job, 'ratio of p50', wait, '<= 2', wait <= 2),
  ];
}

const options = { removeOnComplete: true };

/** Fills the paused queue, and lets the worker empty it. Returns jobs per second. */
async function drain(queue: Queue, { job, data }: Contender): Promise<number> {
  await queue.pause();
  for (let at = 0; at < BACKLOG; at += BULK) {
    await queue.addBulk(Array.from({ length: BULK }, () => ({ name: job, data: data(), opts: options })));
  }
  const start = performance.now();
  await queue.resume();
  for (;;) {
    const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active');
    if (waiting + active === 0) break;
    await sleep(5);
  }
  return (BACKLOG * 1000) / (performance.now() - start);
}

/** Adds single jobs, 20 a second. Returns the median milliseconds until the event of their end. */
async function addToComplete(queue: Queue, events: QueueEvents, { job, data }: Contender): Promise<number> {
  const started = new Map<string, number>();
  const times: number[] = [];
  const completed = ({ jobId }: { jobId: string }) => {
    const start = started.get(jobId);
    if (start !== undefined) times.push(performance.now() - start);
  };
  events.on('completed', completed);
  for (let i = 0; i < SINGLE; i++) {
    const jobId = `bench-${newId()}`;
    started.set(jobId, performance.now());
    await queue.add(job, data(), { ...options, jobId });
    await sleep(SINGLE_GAP_MS);
  }
  const deadline = Date.now() + 10_000;
  while (times.length < SINGLE && Date.now() < deadline) await sleep(10);
  events.off('completed', completed);
  if (times.length < SINGLE) throw new Error(`${SINGLE - times.length} jobs did not end.`);
  return median(times);
}

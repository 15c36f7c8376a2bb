import type { Queue } from 'bullmq';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { readHead } from '../audit/head.js';
import type { Core } from '../core.js';
import { inTime } from '../db/inTime.js';
import { countOlder } from '../keys/usage.js';
import { oldestAway } from '../queues/oldestAway.js';
import { oldestWaiting } from '../queues/oldestWaiting.js';
import { lastSelfCheck } from '../selfCheck/selfCheck.js';

/** A scrape answers in this time even if a dependency is away: what it could not read is NaN. */
const TIMEOUT_MS = 2_000;
/** Counts that read many records are made once in this time. */
const SELDOM_MS = 60_000;
const MOST_COUNTED = 10_000;
const states = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const;

/** Adds the values that are read from the databases at each scrape, and those of the process itself. */
export function addGauges(core: Core): void {
  const { models, queues, keys, clock, redis } = core;
  const registers = [core.metrics.registry];
  collectDefaultMetrics({ register: core.metrics.registry });

  const gauge = (name: string, help: string, read: () => Promise<number>): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await orNaN(read()));
      },
    });
  };
  const gauges = <L extends string>(name: string, help: string, labelNames: L[], read: () => Promise<Row<L>[]>) => {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const rows = await inTime(read(), TIMEOUT_MS).catch(() => []);
        // A value that could not be read now is absent: an old one would look current.
        this.reset();
        for (const { labels, value } of rows) this.set(labels, value);
      },
    });
  };
  const age = (at: Date | undefined): number => (at ? Math.max(0, (clock.now().getTime() - at.getTime()) / 1000) : 0);

  gauges('bullmq_queue_jobs', 'Jobs by queue and state.', ['queue', 'state'], () =>
    ofQueues(queues.all, async (queue, name) =>
      Object.entries(await queue.getJobCounts(...states)).map(([state, value]) => ({
        labels: { queue: name, state },
        value,
      })),
    ),
  );
  gauges('bullmq_oldest_waiting_seconds', 'Age of the oldest job that could run now.', ['queue'], () =>
    ofQueues(queues.all, async (queue, name) => [{ labels: { queue: name }, value: age(await oldestWaiting(queue)) }]),
  );
  // Apart from those that could run now: more workers would not do these sooner.
  gauges('bullmq_oldest_away_seconds', 'Age of the oldest job that waits for a part that is away.', ['queue'], () =>
    ofQueues(queues.all, async (queue, name) => [
      { labels: { queue: name }, value: age(await oldestAway(redis, queue)) },
    ]),
  );
  gauge('lightbox_events_pending', 'Events not yet handed over to sockets and queues, up to 10000.', () =>
    models.Event.countDocuments({ pending: true }, { limit: MOST_COUNTED }),
  );
  gauge('lightbox_event_lag_seconds', 'Age of the oldest event or message that is not yet handed over.', async () => {
    const [event, message] = await Promise.all([
      models.Event.findOne({ pending: true }, { at: 1 }).sort({ at: 1 }).lean(),
      models.Message.findOne({ pending: true }, { createAt: 1 }).sort({ createAt: 1 }).lean(),
    ]);
    return Math.max(age(event?.at), age(message?.createAt));
  });
  gauge('lightbox_audit_lag_seconds', 'Age of the oldest event that is not yet in the audit log.', async () =>
    age((await models.Event.findOne({ unaudited: true }, { at: 1 }).sort({ _id: 1 }).lean())?.at),
  );
  gauge(
    'lightbox_audit_head_seq',
    'Number of the newest entry of the audit log; it never falls.',
    async () => (await readHead(models, keys.audit))?.seq ?? 0,
  );
  gauge(
    'lightbox_blob_bytes',
    'Bytes of all images and of uploads under way, as the accounts’ quotas count them.',
    seldom(async () => {
      const [sum] = await models.Usage.aggregate<{ bytes: number }>([
        { $group: { _id: null, bytes: { $sum: '$bytes' } } },
      ]);
      return sum?.bytes ?? 0;
    }),
  );
  gauge('lightbox_database_free_bytes', 'Free bytes on the disk of MongoDB, if it reports them.', () =>
    core.diskReserve.free(),
  );
  gauges('lightbox_self_check_failed', '1 for each check that failed in the last self-check.', ['check'], async () =>
    ((await lastSelfCheck(core))?.checks ?? []).map(({ name, state }) => ({
      labels: { check: name },
      value: state === 'failed' ? 1 : 0,
    })),
  );
  gauge('lightbox_self_check_age_seconds', 'Age of the last self-check; NaN before the first one.', async () => {
    const last = await models.Operation.findById('selfCheck', { at: 1 }).lean();
    return last ? age(last.at) : Number.NaN;
  });
  gauges(
    'lightbox_older_key_records',
    'Records that the first key of ENCRYPTION_KEYS has not sealed yet, up to 10000.',
    ['what'],
    async () =>
      Object.entries(await countOlder(models, keys, MOST_COUNTED)).map(([what, value]) => ({
        labels: { what },
        value,
      })),
  );
}

interface Row<L extends string> {
  labels: Record<L, string>;
  value: number;
}

const orNaN = (value: Promise<number>): Promise<number> => inTime(value, TIMEOUT_MS).catch(() => Number.NaN);

async function ofQueues<T>(
  queues: Record<string, Queue>,
  read: (queue: Queue, name: string) => Promise<T[]>,
): Promise<T[]> {
  return (await Promise.all(Object.entries(queues).map(([name, queue]) => read(queue, name)))).flat();
}

/** Remembers a value for a while. */
function seldom(read: () => Promise<number>): () => Promise<number> {
  let last = { at: Number.NEGATIVE_INFINITY, value: 0 };
  return async () => {
    if (performance.now() - last.at > SELDOM_MS) last = { at: performance.now(), value: await read() };
    return last.value;
  };
}

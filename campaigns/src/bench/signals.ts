import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@lightbox/core/db/ids.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { type Signal, Signals } from '@lightbox/core/events/signals.js';
import { createLogger } from '@lightbox/core/process/log.js';
import type { Program } from './processes.js';
import { judged, plain, type Row } from './report.js';
import type { Site } from './site.js';
import { percentile } from './stats.js';

const GATEWAYS = [2, 8];
/** Signals a second, of all gateways together; the last rates are far above those of a busy service. */
const RATES = [200, 1_000, 5_000, 20_000];
const SECONDS = 3;
const TICK_MS = 5;
/** The rate of signals that one core must be able to read. */
const GOAL = 10_000;
const WAIT_MS = 10_000;

interface Told {
  read: number;
  missed: number;
  lags: number[];
  cpuMs: number;
}

/** Measures the rate at which one stream that all gateways read is saturated, and the processor time of a reader. */
export async function benchSignals(site: Site): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of GATEWAYS) {
    const job = `signals, ${count} gateways`;
    let capacity = 0;
    let missing = 0;
    for (const rate of RATES) {
      const { p50, p99, lost, cpu } = await atRate(site, count, rate);
      capacity = 1_000_000 / cpu;
      missing += lost;
      const figures = `${p50} / ${p99}; ${cpu.toFixed(1)}`;
      rows.push(plain(job, `${rate}/s: lag p50 / p99 ms; processor µs of a reader per signal`, figures));
      if (lost > 0) break;
    }
    rows.push(judged(job, 'signals/s that fill one core, at the last rate', capacity, `>= ${GOAL}`, capacity >= GOAL));
    rows.push(judged(job, 'lost', missing, '0', missing === 0));
  }
  return rows;
}

async function atRate(site: Site, count: number, rate: number) {
  const readers = await Promise.all(Array.from({ length: count }, () => site.startSignalReader()));
  const redis = connectRedis(site.redisUrl, 'failFast');
  await once(redis, 'ready');
  const sent = await write(new Signals(redis, createLogger({ production: true, logLevel: 'silent' }, 'bench')), rate);
  const deadline = Date.now() + WAIT_MS;
  let told = await askAll(readers);
  while (told.some(({ read }) => read < sent) && Date.now() < deadline) {
    await sleep(200);
    told = await askAll(readers);
  }
  redis.disconnect();
  for (const reader of readers) await reader.stop();
  const lost = told.reduce((sum, { read, missed }) => sum + missed + Math.max(0, sent - read), 0);
  const cpu = told.reduce((sum, { cpuMs, read }) => sum + (cpuMs * 1000) / Math.max(1, read), 0) / count;
  const lags = told.flatMap((reader) => reader.lags);
  return { p50: percentile(lags, 0.5), p99: percentile(lags, 0.99), lost, cpu };
}

/** Sends signals as new messages cause them. Returns their number. */
async function write(signals: Signals, rate: number): Promise<number> {
  const [a, b] = [String(newId()), String(newId())];
  const signal = (): Signal => ({
    push: { name: 'message:new', to: [a, b], refs: { record: String(newId()), at: Date.now() } },
  });
  const start = performance.now();
  const writes: Promise<void>[] = [];
  let sent = 0;
  while (performance.now() - start < SECONDS * 1_000) {
    const due = Math.floor(((performance.now() - start) * rate) / 1_000);
    if (due > sent) writes.push(signals.send(Array.from({ length: due - sent }, signal)));
    sent = Math.max(sent, due);
    await sleep(TICK_MS);
  }
  await Promise.all(writes);
  return sent;
}

const askAll = (readers: Program[]): Promise<Told[]> =>
  Promise.all(
    readers.map(async ({ child }) => {
      const answered = once(child, 'message', { signal: AbortSignal.timeout(WAIT_MS) });
      child.send('tell');
      return ((await answered) as [Told])[0];
    }),
  );

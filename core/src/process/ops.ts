import { createServer, type Server, type ServerResponse } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { readHead } from '../audit/head.js';
import type { Core } from '../core.js';
import { underOlderKeys } from '../keys/usage.js';

/**
 * Serves `/healthz`, `/readyz` and `/metrics` (Prometheus) for operators, on a port of their own. Metrics are counts;
 * they name no person, no record and no address.
 */
export async function startOps(core: Core, isStopping: () => boolean): Promise<() => Promise<void>> {
  const { ops } = core.config;
  if (!ops) return async () => undefined;
  const registry = createRegistry(core);
  const server = createServer(async (req, res) => {
    const path = req.url?.split('?')[0];
    if (path === '/healthz') return json(res, 200, { status: 'ok' });
    if (path === '/readyz') {
      const state = await readiness(core, isStopping());
      return json(res, state.ready ? 200 : 503, state.body);
    }
    if (path !== '/metrics') return json(res, 404, { message: 'Not found.' });
    res.setHeader('Content-Type', registry.contentType);
    res.end(await registry.metrics());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(ops.port, ops.host, resolve);
  });
  return () => close(server);
}

const close = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(body));
}

const TIMEOUT_MS = 2_000;

export interface Readiness {
  status: string;
  dependencies: { mongodb: 'ok' | 'away'; redis: 'ok' | 'degraded' };
}

/** MongoDB must answer and be prepared. Without Redis the state is `degraded`, because much works without it. */
export async function readiness(core: Core, stopping: boolean): Promise<{ ready: boolean; body: Readiness }> {
  const [mongodb, redis] = await Promise.all([
    mongodbAnswers(core).then((up) => (up ? 'ok' : 'away')),
    answers(core.redis.ping()).then((up) => (up ? 'ok' : 'degraded')),
  ]);
  const { done } = core.startUp;
  const ready = done && mongodb === 'ok' && !stopping;
  const status = stopping ? 'stopping' : !done ? 'starting' : !ready ? 'unavailable' : redis;
  return { ready, body: { status, dependencies: { mongodb, redis } } };
}

/** True when a primary answers in time. */
export const mongodbAnswers = ({ db }: Pick<Core, 'db'>): Promise<boolean> => answers(db.db?.admin().ping());

async function answers(work: Promise<unknown> | undefined): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), TIMEOUT_MS);
  });
  const done = Promise.resolve(work).then(
    () => work !== undefined,
    () => false,
  );
  return Promise.race([done, tooLate]).finally(() => clearTimeout(timer));
}

function createRegistry(core: Core): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'lightbox_queue_jobs',
    help: 'Jobs by queue and state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
    async collect() {
      for (const [name, queue] of Object.entries(core.queues.all)) {
        const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed').catch(() => ({}));
        for (const [state, count] of Object.entries(counts)) this.set({ queue: name, state }, count);
      }
    },
  });
  new Gauge({
    name: 'lightbox_events_pending',
    help: 'Events not yet handed over to sockets and queues.',
    registers: [registry],
    async collect() {
      this.set(await core.models.Event.countDocuments({ pending: true }, { limit: 10_000 }).catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'lightbox_audit_head_seq',
    help: 'Number of the newest entry of the audit log; it never falls.',
    registers: [registry],
    async collect() {
      const head = await readHead(core.models, core.keys.audit).catch(() => undefined);
      this.set(head === undefined ? Number.NaN : (head?.seq ?? 0));
    },
  });
  new Gauge({
    name: 'lightbox_older_key_records',
    help: 'Records that the first key of ENCRYPTION_KEYS has not sealed yet, up to 10000.',
    labelNames: ['what'],
    registers: [registry],
    async collect() {
      const { images, profiles, secrets, totpSecrets } = underOlderKeys(core.keys);
      const count = (counted: Promise<number>) => counted.catch(() => Number.NaN);
      const limit = { limit: 10_000 };
      this.set({ what: 'images' }, await count(core.models.Image.countDocuments(images, limit)));
      this.set({ what: 'profiles' }, await count(core.models.User.countDocuments(profiles, limit)));
      this.set({ what: 'secrets' }, await count(core.models.Secret.countDocuments(secrets, limit)));
      this.set({ what: 'totpSecrets' }, await count(core.models.Totp.countDocuments(totpSecrets, limit)));
    },
  });
  return registry;
}

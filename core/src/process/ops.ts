import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Core } from '../core.js';
import { inTime } from '../db/inTime.js';
import { addGauges } from '../metrics/gauges.js';

/**
 * Serves `/healthz`, `/readyz` and `/metrics` (Prometheus) for operators, on a port of their own. Metrics are counts;
 * they name no person, no record and no address.
 */
export async function startOps(core: Core, isStopping: () => boolean): Promise<() => Promise<void>> {
  const { ops } = core.config;
  if (!ops) return async () => undefined;
  const { registry } = core.metrics;
  addGauges(core);
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

const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    // A connection that sends nothing would hold the end of the process.
    server.closeAllConnections();
  });

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

const answers = async (work: Promise<unknown> | undefined): Promise<boolean> =>
  work !== undefined &&
  inTime(work, TIMEOUT_MS).then(
    () => true,
    () => false,
  );

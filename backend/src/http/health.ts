import type { Core } from '@lightbox/core/core.js';
import type { Router } from 'express';

const ANSWER_MS = 2_000;

const within = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('too slow')), ANSWER_MS).unref()),
  ]);

/** `/healthz`: the process lives. `/readyz`: MongoDB answers and we are not stopping; Redis away is `degraded`, not down. */
export function healthRoutes(router: Router, core: Core, isStopping: () => boolean): void {
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const [mongodb, redis] = await Promise.all([
      within(core.db.db?.admin().ping() ?? Promise.reject()).then(
        () => 'ok',
        () => 'away',
      ),
      within(core.redis.ping()).then(
        () => 'ok',
        () => 'degraded',
      ),
    ]);
    const ready = mongodb === 'ok' && !isStopping();
    res.status(ready ? 200 : 503).json({
      status: ready ? (redis === 'ok' ? 'ok' : 'degraded') : isStopping() ? 'stopping' : 'unavailable',
      dependencies: { mongodb, redis },
    });
  });
}

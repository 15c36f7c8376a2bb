import type { Core } from '@lightbox/core/core.js';
import { readiness } from '@lightbox/core/process/ops.js';
import type { Router } from 'express';

/** `/healthz` answers while the process runs; `/readyz` answers 200 when it can serve. */
export function healthRoutes(router: Router, core: Core, isStopping: () => boolean): void {
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const { ready, body } = await readiness(core, isStopping());
    res.status(ready ? 200 : 503).json(body);
  });
}

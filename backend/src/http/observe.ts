import type { Metrics } from '@lightbox/core/metrics/metrics.js';
import type { Logger } from '@lightbox/core/process/log.js';
import type { RequestHandler, Response } from 'express';
import { requestIdOf } from './errors.js';
import { loggedPath } from './loggedPath.js';

/** The status in the metrics of a request whose client was gone before its answer began. */
const CLIENT_GONE = 499;
/** The route of everything that is no call of the API: files of the web app, health, unknown paths. */
const OTHER = 'other';
/** They are asked every few seconds, and not logged. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Measures each request, from its arrival to the end of its answer, and logs it: a failure of the server as an error, all
 * others for debugging. A line is made only if the level of the log has it.
 */
export const observeRequests =
  (metrics: Metrics, log: Logger): RequestHandler =>
  (req, res, next) => {
    const since = performance.now();
    const { method, url } = req;
    res.once('close', () => {
      const responseTime = performance.now() - since;
      const status = res.headersSent ? res.statusCode : CLIENT_GONE;
      metrics.tookRequest(method, String(res.locals.route ?? OTHER), status, responseTime);
      const level = res.statusCode >= 500 ? 'error' : 'debug';
      if (!log.isLevelEnabled(level) || probes.has(url)) return;
      log[level](
        {
          // The query is left out: a search text may name a person.
          req: { id: requestIdOf(req), method, path: loggedPath(url) },
          res: { statusCode: res.statusCode },
          responseTime: Math.round(responseTime),
        },
        res.writableFinished ? 'request completed' : 'request aborted',
      );
    });
    next();
  };

/** Names the call for the metrics, by its pattern: a path itself contains ids. */
export function nameRoute(res: Response, pattern: string): void {
  res.locals.route = `/api${pattern}`;
}

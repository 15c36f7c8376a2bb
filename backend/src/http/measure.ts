import type { Metrics } from '@lightbox/core/metrics/metrics.js';
import type { RequestHandler, Response } from 'express';

/** The status in the metrics of a request whose client was gone before its answer began. */
const CLIENT_GONE = 499;
/** The route of everything that is no call of the API: files of the web app, health, unknown paths. */
const OTHER = 'other';

/** Measures each request, from its arrival to the end of its answer. */
export const measureRequests =
  (metrics: Metrics): RequestHandler =>
  (req, res, next) => {
    const since = performance.now();
    res.once('close', () => {
      const status = res.headersSent ? res.statusCode : CLIENT_GONE;
      metrics.tookRequest(req.method, String(res.locals.route ?? OTHER), status, performance.now() - since);
    });
    next();
  };

/** Names the call for the metrics, by its pattern: a path itself contains ids. */
export function nameRoute(res: Response, pattern: string): void {
  res.locals.route = `/api${pattern}`;
}

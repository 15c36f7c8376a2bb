import { isTracing, openSpan } from '@lightbox/core/tracing/traces.js';
import type { Request, RequestHandler } from 'express';

/**
 * Opens a span for each call. It continues the trace of the sender only behind a trusted proxy (`TRUST_PROXY`): a stranger
 * must not choose ids of traces, or have everything recorded.
 */
export const traceRequests: RequestHandler = (req, res, next) => {
  if (!isTracing() || !/^\/(api|dicom-web)\//.test(req.url)) return next();
  const { method } = req;
  const span = openSpan(method, {
    kind: 'SERVER',
    parent: parentOf(req),
    attributes: { 'http.request.method': method },
  });
  res.once('close', () => {
    const route = String(res.locals.route ?? 'other');
    span.rename(`${method} ${route}`, { 'http.route': route, 'http.response.status_code': res.statusCode });
    span.end(res.statusCode >= 500);
  });
  span.run(next);
};

function parentOf({ app, socket, headers }: Request): string | undefined {
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const { traceparent } = headers;
  return typeof traceparent === 'string' && trusts(socket.remoteAddress ?? '', 0) ? traceparent : undefined;
}

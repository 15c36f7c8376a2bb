import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** Sets the headers that tell browsers to allow nothing that the pages do not need. */
export function securityHeaders({ https, baseUri = "'none'" }: { https: boolean; baseUri?: string }): RequestHandler {
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'self'"],
          // WebAssembly for the image decoders; no inline script anywhere.
          scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
          // Emotion writes style elements at run time (docs/security.md, "Deviations").
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'blob:', 'data:'],
          // Recordings are played from the memory of the tab.
          mediaSrc: ["'self'", 'blob:'],
          fontSrc: ["'self'"],
          workerSrc: ["'self'", 'blob:'],
          connectSrc: ["'self'", 'blob:'],
          objectSrc: ["'none'"],
          baseUri: [baseUri],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
          ...(https ? { upgradeInsecureRequests: [] } : {}),
        },
      },
      strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: true } : false,
      referrerPolicy: { policy: 'no-referrer' },
      frameguard: { action: 'deny' },
      crossOriginEmbedderPolicy: false,
    }),
  );
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}

/** Returns the headers that helmet sets. They are the same for every answer, and helmet has a step for each of them. */
function headersOf(setAll: ReturnType<typeof helmet>): [name: string, value: string][] {
  const headers = new Map<string, string>();
  const res = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  setAll({} as Request, res as unknown as Response, (error) => {
    if (error) throw error;
  });
  return [...headers];
}

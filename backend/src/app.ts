import { randomUUID } from 'node:crypto';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { behindApi, doors } from '@lightbox/contract/doors.js';
import { AppError } from '@lightbox/core/errors.js';
import cookieParser from 'cookie-parser';
import cors from 'cors';
import express, { type Express, type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { pinoHttp } from 'pino-http';
import { analysisRoutes } from './analysis/routes.js';
import { annotationRoutes } from './annotations/routes.js';
import { auditRoutes } from './audit/routes.js';
import { authRoutes } from './auth/routes.js';
import { carerRoutes } from './carers/routes.js';
import { consentRoutes } from './consents/routes.js';
import type { Gateway } from './context.js';
import { dicomWebRoutes } from './dicomWeb/routes.js';
import { emergencyRoutes } from './emergencies/routes.js';
import { outcome } from './fhir/outcome.js';
import { fhirRoutes } from './fhir/routes.js';
import { guestRoutes } from './guests/routes.js';
import { docsRoutes } from './http/docs.js';
import { errorHandler, unavailable } from './http/errors.js';
import { healthRoutes } from './http/health.js';
import { loggedPath } from './http/loggedPath.js';
import { measureRequests, nameRoute } from './http/measure.js';
import { serveSite } from './http/site.js';
import { traceRequests } from './http/traceRequests.js';
import { imageRoutes } from './images/routes.js';
import { legalHoldRoutes } from './legalHolds/routes.js';
import { messageRoutes } from './messages/routes.js';
import { notificationRoutes } from './notifications/routes.js';
import { serveQueueBoard } from './overview/queueBoard.js';
import { overviewRoutes } from './overview/routes.js';
import { pushRoutes } from './push/routes.js';
import { receiverRoutes } from './receiver/routes.js';
import { requestRoutes } from './requests/routes.js';
import { roleRoutes } from './roles/routes.js';
import { scimError } from './scim/errors.js';
import { scimRoutes } from './scim/routes.js';
import { settingRoutes } from './settings/routes.js';
import { shareRoutes } from './sharing/routes.js';
import { signOnRoutes } from './signOn/routes.js';
import { studyRoutes } from './studies/routes.js';
import { uploadRoutes } from './uploads/routes.js';
import { userRoutes } from './users/routes.js';
import { webhookRoutes } from './webhooks/routes.js';

const features = [
  authRoutes,
  signOnRoutes,
  scimRoutes,
  userRoutes,
  imageRoutes,
  studyRoutes,
  uploadRoutes,
  dicomWebRoutes,
  fhirRoutes,
  shareRoutes,
  guestRoutes,
  requestRoutes,
  emergencyRoutes,
  legalHoldRoutes,
  carerRoutes,
  analysisRoutes,
  annotationRoutes,
  consentRoutes,
  messageRoutes,
  notificationRoutes,
  pushRoutes,
  webhookRoutes,
  receiverRoutes,
  auditRoutes,
  roleRoutes,
  settingRoutes,
  overviewRoutes,
];

/** Builds the Express app. Its middleware stands in the order in which a request passes it. */
export function createApp(gateway: Gateway, isStopping: () => boolean): Express {
  const { config, log } = gateway;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');
  // Answers of calls are `no-store`: nobody has an earlier one to compare. Files and bytes have tags of their own.
  app.set('etag', false);
  app.use(traceRequests);
  app.use(
    pinoHttp({
      logger: log,
      genReqId: () => randomUUID(),
      autoLogging: { ignore: (req) => req.url === '/healthz' || req.url === '/readyz' },
      // The query is left out: a search text may name a person.
      serializers: {
        req: (req) => ({ id: req.id, method: req.method, path: loggedPath(String(req.url)) }),
        res: (res) => ({ statusCode: res.statusCode }),
      },
      customLogLevel: (_req, res) => (res.statusCode >= 500 ? 'error' : 'debug'),
    }),
  );
  app.use(measureRequests(gateway.metrics));
  app.use((_req, res, next) => {
    // A client that reused the connection would get no answer to its next request.
    if (isStopping()) res.setHeader('Connection', 'close');
    next();
  });
  const https = config.publicUrl.startsWith('https:');
  app.use(securityHeaders({ https }));
  // The page of the board names its own address as its base, from which its scripts are found.
  app.use(doors.queues, securityHeaders({ https, baseUri: "'self'" }));
  healthRoutes(app, gateway, isStopping);
  const { dicomWebOrigins } = config;
  if (dicomWebOrigins.length > 0) app.use(doors.dicomWeb, readableFrom(dicomWebOrigins));
  app.use((req, _res, next) => {
    // Clients of DICOMweb, FHIR and SCIM expect them beside the application.
    if (behindApi.some((door) => req.path === door || req.path.startsWith(`${door}/`))) req.url = `/api${req.url}`;
    next();
  });
  app.use('/api', api(gateway));
  serveQueueBoard(app, gateway);
  serveSite(app);
  app.use(() => {
    throw new AppError('NOT_FOUND');
  });
  app.use(errorHandler(log));
  return app;
}

/**
 * Lets web pages of these origins read by DICOMweb (the Fetch standard, "CORS protocol"). They send a token in a header: no
 * cookie is taken or allowed. A page of another origin is refused by its browser.
 */
const readableFrom = (origins: string[]): RequestHandler =>
  cors({
    origin: origins,
    methods: ['GET', 'HEAD'],
    allowedHeaders: ['Authorization', 'Accept'],
    exposedHeaders: ['Warning', 'Retry-After'],
    maxAge: 600,
  });

/** Sets the headers that tell browsers to allow nothing that the pages do not need. */
function securityHeaders({ https, baseUri = "'none'" }: { https: boolean; baseUri?: string }) {
  return helmet({
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
  });
}

function api(gateway: Gateway): Router {
  const router = Router();
  router.use((_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Robots-Tag', 'noindex');
    next();
  });
  router.use((_req, _res, next) => {
    if (!gateway.startUp.done) throw unavailable();
    next();
  });
  router.use(cookieParser());
  docsRoutes(router, gateway.config.publicUrl);
  let atOnce: ReturnType<typeof exactRoutes> = new Map();
  router.use((req, res, next) => {
    const handler = atOnce.get(`${req.method} ${req.path}`);
    return handler ? handler(req, res, next) : next();
  });
  // Before the routes, or `/users/:id` would also match `/users/approve-provider`.
  refuseOtherMethods(router, exact);
  const first = router.stack.length;
  for (const routes of features) routes(router, gateway);
  atOnce = exactRoutes(router, first);
  refuseOtherMethods(router, withParameters);
  router.use(() => {
    throw new AppError('NOT_FOUND');
  });
  router.use(doors.fhir, errorHandler(gateway.log, outcome));
  router.use(doors.scim, errorHandler(gateway.log, scimError));
  return router;
}

const shapes = Object.values(calls) as CallShape[];
const paths = [...new Set(shapes.map(({ path }) => path))];
const exact = paths.filter((path) => !path.includes(':'));
const withParameters = paths.filter((path) => path.includes(':'));

/**
 * Returns the handlers of the calls without a parameter in their path, by method and path. The router would compare a
 * request with some hundred paths until it comes to them.
 */
function exactRoutes(router: Router, first: number): Map<string, RequestHandler> {
  const all = router.stack.slice(first).flatMap(({ route }) => {
    const [only, ...others] = route?.stack ?? [];
    if (!route || !only || others.length > 0 || route.path.includes(':')) return [];
    return [[`${only.method.toUpperCase()} ${route.path}`, only.handle] as const];
  });
  return new Map(all.reverse());
}

/** Answers 405 with `Allow` where the path exists, but not with this method. */
function refuseOtherMethods(router: Router, among: string[]): void {
  for (const path of among) {
    const methods = shapes.filter((shape) => shape.path === path).map(({ method }) => method.toUpperCase());
    const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    router.all(path, (req, res, next) => {
      if (allowed.includes(req.method)) return next();
      nameRoute(res, path);
      res.setHeader('Allow', methods.join(', '));
      throw new AppError('METHOD_NOT_ALLOWED');
    });
  }
}

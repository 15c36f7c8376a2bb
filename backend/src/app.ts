import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { behindApi, doors } from '@lightbox/contract/doors.js';
import { AppError } from '@lightbox/core/errors.js';
import cookieParser from 'cookie-parser';
import cors from 'cors';
import express, { type Express, type RequestHandler, Router } from 'express';
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
import { directRoutes } from './http/directRoutes.js';
import { docsRoutes } from './http/docs.js';
import { errorHandler, unavailable } from './http/errors.js';
import { healthRoutes } from './http/health.js';
import { nameRoute, observeRequests } from './http/observe.js';
import { securityHeaders } from './http/securityHeaders.js';
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
  app.use(observeRequests(gateway.metrics, log));
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

/** Removes cookies that the library made objects of, because their texts begin with `j:`. The product sets none. */
function keepTexts(cookies: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(cookies)) if (typeof value !== 'string') delete cookies[name];
}

function api(gateway: Gateway): Router {
  const router = Router();
  const readCookies = cookieParser();
  let direct: RequestHandler = (_req, _res, next) => next();
  // One step, because each step of a router costs about as much as what is done here.
  router.use((req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Robots-Tag', 'noindex');
    if (!gateway.startUp.done) throw unavailable();
    if (req.headers.cookie === undefined) req.cookies = {};
    else readCookies(req, res, () => keepTexts(req.cookies));
    return direct(req, res, next);
  });
  docsRoutes(router, gateway.config.publicUrl);
  // Before the routes, or `/users/:id` would also match `/users/approve-provider`.
  refuseOtherMethods(router, exact);
  const first = router.stack.length;
  for (const routes of features) routes(router, gateway);
  direct = directRoutes(router, first);
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

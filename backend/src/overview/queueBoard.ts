import { adminDashboard, doors } from '@lightbox/contract/doors.js';
import { limits } from '@lightbox/contract/limits.js';
import type { overviewCalls } from '@lightbox/contract/overview/calls.js';
import { AppError } from '@lightbox/core/errors.js';
import cookieParser from 'cookie-parser';
import type { CookieOptions, Express, Request, RequestHandler } from 'express';
import { authorize } from '../auth/authorize.js';
import { viewerOf } from '../auth/sessions.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { unavailable } from '../http/errors.js';

const COOKIE = 'lightbox_queues';

const cookieOptions = ({ config }: Gateway): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  secure: config.publicUrl.startsWith('https:'),
  path: doors.queues,
  maxAge: limits.queueBoardMinutes * 60_000,
});

/** Lets an administrator look at the queues for some minutes: pages of the board cannot send a bearer token. */
export async function openQueueBoard({
  gateway,
  actor,
  viewer,
  res,
}: Context<typeof overviewCalls.openQueueBoard>): Promise<Answer<{ path: string }>> {
  await gateway.events.record(actor, { type: 'job.watched' });
  res.cookie(COOKIE, gateway.tokens.queues(viewer.id, String(viewer.sessionId)), cookieOptions(gateway));
  return { data: { path: doors.queues } };
}

/** Returns the person behind the cookie. */
async function watcher(gateway: Gateway, cookie: unknown): Promise<Viewer> {
  if (typeof cookie !== 'string') throw new AppError('UNAUTHENTICATED');
  return await viewerOf(gateway, gateway.tokens.verify(cookie, 'queues'), false);
}

/** Says if a person opened the address in a browser, from a bookmark or after the cookie has ended. */
const isVisit = (req: Request) => req.method === 'GET' && req.accepts(['json', 'html']) === 'html';

/**
 * Serves Bull Board, which only shows: the queues, and their jobs with the opaque ids that they carry. The session, the
 * account and the role behind the cookie are checked at each request. A browser without the cookie goes to the screen that
 * gives it.
 */
export function serveQueueBoard(app: Express, gateway: Gateway): void {
  let board: Promise<RequestHandler> | null = null;
  app.use(doors.queues, cookieParser(), async (req, res, next) => {
    if (!gateway.startUp.done) throw unavailable();
    const cookie: unknown = req.cookies[COOKIE];
    const viewer = await watcher(gateway, cookie).catch((error: unknown) => {
      if (isVisit(req) && error instanceof AppError && error.status === 401) return null;
      throw error;
    });
    if (!viewer) {
      res.redirect(303, adminDashboard);
      return;
    }
    await authorize(gateway, viewer, 'job.read');
    if (req.method !== 'GET') throw new AppError('METHOD_NOT_ALLOWED');
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Robots-Tag', 'noindex');
    board ??= createBoard(gateway).catch((error) => {
      board = null;
      throw error;
    });
    (await board)(req, res, next);
  });
}

/** The library is loaded when it is first needed. */
async function createBoard({ queues }: Gateway): Promise<RequestHandler> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(doors.queues);
  createBullBoard({
    queues: Object.values(queues.all).map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Lightbox' } },
  });
  return serverAdapter.getRouter();
}

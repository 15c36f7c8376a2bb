import { constants } from 'node:zlib';
import { bodyBefore, type CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { type Permission, permissions } from '@lightbox/contract/permissions.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { ScimTokenDoc } from '@lightbox/core/models/scimToken.js';
import compression from 'compression';
import type { Request, Response, Router } from 'express';
import type { z } from 'zod';
import { recordDenial } from '../audit/denials.js';
import { authorize } from '../auth/authorize.js';
import { requireRefreshCookie } from '../auth/cookies.js';
import { holdSession } from '../auth/holdSession.js';
import type { Bearer } from '../auth/passport.js';
import { guestOf, recentViewer, senderOf } from '../auth/sessions.js';
import { requireStepUp } from '../auth/stepUp.js';
import type { Answer, Context, Gateway, Handler, Reader, Sender, Verification, Viewer } from '../context.js';
import { requireScimToken } from '../scim/tokens.js';
import { readBody, run } from './body.js';
import { nameRoute } from './observe.js';
import type { Subject } from './throttle.js';
import { validate } from './validate.js';

/** Lists are compressed, and nothing else: the answers with tokens and codes are not (docs/security.md, "Compression"). */
const compressLists = compression({ threshold: 1024, level: constants.Z_BEST_SPEED });
/** A caller may hold back the end of a body. After this time the session, which may have ended, is checked again. */
const LATE_MS = 500;
const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

type Handlers<Calls> = { [K in keyof Calls]: Calls[K] extends CallShape ? Handler<Calls[K]> : never };

/** Binds every call of a feature to its handler, in the order of the handlers. A call without one does not compile. */
export function bindAll<Calls extends Record<string, CallShape>>(
  router: Router,
  gateway: Gateway,
  calls: Calls,
  handlers: Handlers<NoInfer<Calls>>,
): void {
  for (const name of Object.keys(handlers) as (keyof Calls)[]) {
    bind(router, gateway, calls[name] as CallShape, handlers[name] as unknown as Handler<CallShape>);
  }
}

/**
 * Checks every call in the contract's order: authentication, permission of the role, readable body, valid fields,
 * step-up, throttles. The handler then checks the access to the record.
 */
function bind<C extends CallShape>(router: Router, gateway: Gateway, shape: C, handler: Handler<C>): void {
  const types = tokensOf(shape);
  const schema = bodyBefore(shape);
  router[shape.method](shape.path, async (req, res, next) => {
    if (isAnotherPath(shape, req.path)) return next('route');
    nameRoute(res, shape.path);
    let who: Identity = anonymous;
    try {
      const enter = async () => {
        who = await identify(gateway, shape, types, req, res);
        const person = personOf(who);
        if (person && isPermission(shape.who)) await authorize(gateway, person, shape.who);
      };
      await enter();
      const began = performance.now();
      const raw = schema && (await readBody(shape, req, res));
      if (performance.now() - began > LATE_MS) await enter();
      const context = contextOf(gateway, shape, req, res, who, schema && { schema, raw });
      if (shape.stepUp) await requireStepUp(gateway, shape, { ...context, viewer: personOf(who) });
      await gateway.throttle.takeForCall(shape, subjectOf(req, who, context.body));
      const answer = await (shape.method === 'get' ? readSteadily(gateway, res, handler, context) : handler(context));
      if (answer?.pagination) await run(compressLists, req, res);
      if (answer) send(res, shape, answer);
    } catch (error) {
      if (who.viewer) await recordRefusal(gateway, shape, req, { ...who, viewer: who.viewer }, error);
      else if (error instanceof AppError) gateway.anonymousFailures.count(error, req.ip ?? '');
      throw error;
    }
  });
}

/**
 * Answers a read with everything that was acknowledged before it, also right after a failover: a browser that connects
 * again after it asks once for what it missed. An answer that has begun to leave is not repeated.
 */
const readSteadily = <C extends CallShape>(gateway: Gateway, res: Response, handler: Handler<C>, context: Context<C>) =>
  gateway.elections.steady(async () => (res.headersSent ? undefined : handler(context)));

/** Returns the values by which the throttles of a call count. */
function subjectOf(req: Request, { viewer, verification }: Identity, body: unknown): Subject {
  const { email } = (body ?? {}) as { email?: unknown };
  return {
    address: req.ip ?? '',
    caller: viewer?.id ?? verification?.userId.toString(),
    email: typeof email === 'string' ? email : undefined,
  };
}

const plainPath = (path: string): string => path.toLowerCase().replace(/\/$/, '');
const literalPaths = new Set(
  Object.values(calls)
    .filter(({ path }) => !path.includes(':'))
    .map(({ path }) => plainPath(path)),
);

/** True when the path belongs to another call: `GET /users/approve-provider` does not ask for a user with that id. */
const isAnotherPath = (shape: CallShape, path: string): boolean =>
  shape.path.includes(':') && literalPaths.has(plainPath(path));

const isPermission = (who: CallShape['who']): who is Permission => Object.hasOwn(permissions, who);

interface Identity {
  viewer: Reader | Sender | null;
  verification: Verification | null;
  /** The personal token of the call. */
  token?: ObjectId;
  /** The token of a call of SCIM. */
  scim?: ScimTokenDoc;
}

/** Returns the signed-in person; null for guests and senders too. */
const personOf = ({ viewer }: Identity): Viewer | null =>
  viewer === null || viewer.role === 'guest' || viewer.role === 'sender' ? null : viewer;

const anonymous: Identity = { viewer: null, verification: null };

async function identify(
  gateway: Gateway,
  shape: CallShape,
  types: Bearer['typ'][],
  req: Request,
  res: Response,
): Promise<Identity> {
  if (shape.who === 'anyone') return anonymous;
  if (shape.who === 'refreshCookie') {
    requireRefreshCookie(gateway, req);
    return anonymous;
  }
  if (shape.who === 'scim') return { ...anonymous, scim: await requireScimToken(gateway, req) };
  if (shape.who === 'verification') {
    const claims = await gateway.authenticate(req, res, 'verification');
    return { viewer: null, verification: { userId: oid(claims.sub), codeId: oid(claims.rid) } };
  }
  const claims = await gateway.authenticate(req, res, ...types);
  // A personal token does not end by idleness. Its person has to see each use of it.
  const active = claims.typ === 'personal' || req.headers['x-background'] !== '1';
  if (claims.typ === 'personal' && !claims.scopes.some((scope) => shape.scopes?.includes(scope))) {
    throw new AppError('AUTHENTICATION_FAILED');
  }
  const viewer =
    claims.typ === 'guest'
      ? await guestOf(gateway, claims)
      : claims.typ === 'sender'
        ? await senderOf(gateway, claims)
        : await recentViewer(gateway, claims, active);
  return { viewer, verification: null, ...(claims.typ === 'personal' ? { token: oid(claims.rid) } : {}) };
}

/** Returns the types of token that a call accepts. */
function tokensOf({ who, guests, senders, scopes }: CallShape): Bearer['typ'][] {
  if (who === 'guest' || who === 'sender') return [who];
  return [
    'access',
    ...(guests ? (['guest'] as const) : []),
    ...(senders ? (['sender'] as const) : []),
    ...(scopes ? (['personal'] as const) : []),
  ];
}

function contextOf<C extends CallShape>(
  gateway: Gateway,
  shape: C,
  req: Request,
  res: Response,
  who: Identity,
  sent: { schema: z.ZodType; raw: unknown } | undefined,
): Context<C> {
  const query = shape.query ? validate(shape.query, { ...req.query }) : undefined;
  const body = sent && validate(sent.schema, sent.raw);
  return {
    gateway,
    call: shape,
    actor: actorOf(gateway, shape, req, who, body),
    viewer: who.viewer,
    verification: who.verification,
    scim: who.scim ?? null,
    // A malformed id is 404 like an unknown one. Checked after the other fields: a call with invalid fields is 400
    // first.
    params: shape.params ? orNotFound(() => validate(shape.params as never, req.params)) : undefined,
    query,
    body,
    req,
    res,
  } as Context<C>;
}

function orNotFound<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new AppError('NOT_FOUND');
  }
}

function actorOf(gateway: Gateway, shape: CallShape, req: Request, who: Identity, body: unknown): Actor {
  const viewer = personOf(who);
  const key = shape.creates ? req.get('idempotency-key') : undefined;
  if (key !== undefined && !isUuid.test(key)) throw fieldError('Idempotency-Key', 'Must be a UUID.');
  const actor: Actor = {
    ip: req.ip ?? '',
    ...(viewer ? { id: viewer._id, hold: holdSession(gateway, viewer) } : {}),
    ...(who.token ? { token: who.token } : {}),
  };
  if (!key) return actor;
  const idempotency = { key: `${viewer?.id ?? 'anyone'}:${shape.path}:${key.toLowerCase()}`, requests: [] };
  // A path without parameters is in the key already.
  const sent = shape.params ? { params: req.params, body } : body;
  return bindKey(gateway, { ...actor, idempotency }, requestText(sent));
}

/**
 * Returns the text of what was sent, to which an idempotency key is bound. The password is left out: its hash would be quick
 * to guess. A handler can bind a slow digest of it instead (`register.ts`).
 */
const requestText = (sent: unknown): string =>
  JSON.stringify(sent, (name, value) => (name === 'password' ? undefined : value)) ?? '';

/**
 * Returns the actor with its idempotency key, if it has one, bound to `sent` as well: a text, or one for each key of the
 * ring `codes`.
 */
export function bindKey({ keys }: Gateway, actor: Actor, sent: string | readonly string[]): Actor {
  if (!actor.idempotency) return actor;
  const { key, requests } = actor.idempotency;
  const bound = keys.codes.all.map((one, i) => {
    const text = typeof sent === 'string' ? sent : (sent[i] ?? '');
    return hmac(one.key, 'request', requests[i] ?? '', text).toString('base64url');
  });
  return { ...actor, idempotency: { key, requests: bound } };
}

function send<D>(res: Response, shape: CallShape, answer: Answer<D>): void {
  const { data, message, pagination } = answer;
  const status = answer.status ?? shape.status ?? 200;
  res.status(status);
  if (status === 204) {
    res.end();
    return;
  }
  const text = JSON.stringify({
    data: data ?? null,
    ...(message ? { message } : {}),
    ...(pagination ? { pagination } : {}),
  });
  // Without Express's `json`, which looks for validators and conditions that these answers do not have.
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/** The action of a refusal of people without an account. */
const refusedAs = { guest: 'guest.viewed', sender: 'request.file' } as const;

/**
 * Records the refusal of a signed-in person in the audit log, with the id in the path, if there is one. That of a guest
 * names the link, that of a sender the request, and neither an account.
 */
function recordRefusal(
  gateway: Gateway,
  shape: CallShape,
  req: Request,
  { viewer, token }: Identity & { viewer: Reader | Sender },
  error: unknown,
): Promise<void> {
  const { role } = viewer;
  const nobody = role === 'guest' || role === 'sender';
  const actor = { ...(nobody ? {} : { id: viewer._id }), ...(token ? { token } : {}), ip: req.ip ?? '' };
  const type = nobody ? refusedAs[role] : shape.action;
  const [record] = Object.values(req.params);
  return recordDenial(gateway, actor, { type, record, ...(nobody ? { records: [viewer._id] } : {}) }, error);
}

import { type PersonalToken, tokenPrefix } from '@lightbox/contract/auth/personalTokens.js';
import type { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { touch } from '@lightbox/core/access/hold.js';
import type { Core } from '@lightbox/core/core.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import { DAY_MS } from '@lightbox/core/times.js';
import { LRUCache } from 'lru-cache';
import type { QueryFilter } from 'mongoose';
import type { Answer, Context } from '../context.js';
import { issueNotMe } from './notMe.js';
import type { Bearer } from './passport.js';
import { cutSockets, endSessions } from './sessions.js';
import { hashToken, makeToken } from './tokenSecrets.js';

/** A session that is a personal token. */
type TokenDoc = SessionDoc & { token: NonNullable<SessionDoc['token']> };

/** Tokens whose session is remembered, at most. */
const KNOWN = 10_000;

/**
 * Returns a function that looks up a personal token. It throws `AUTHENTICATION_FAILED` for an unknown one. Session and
 * scopes of a token never change, so they are remembered; its end is checked with the session, at each call.
 */
export function findPersonalToken({ models }: Core): (token: string) => Promise<Bearer> {
  const known = new LRUCache<string, Bearer>({ max: KNOWN });
  return async (token) => {
    const hash = hashToken(token);
    const found = known.get(hash);
    if (found) return found;
    const session = await models.Session.findOne({ 'token.hash': hash }).lean<TokenDoc>();
    if (!session) throw new AppError('AUTHENTICATION_FAILED');
    const { _id, user, token: kept } = session;
    const bearer: Bearer = { typ: 'personal', sub: String(user), rid: String(_id), scopes: kept.scopes };
    known.set(hash, bearer);
    return bearer;
  };
}

const present = ({ _id, createAt, expiresAt, lastSeenAt, token }: TokenDoc): PersonalToken => ({
  id: String(_id),
  name: token.name,
  scopes: token.scopes,
  createAt: createAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  ...(lastSeenAt > createAt ? { lastUsedAt: lastSeenAt.toISOString() } : {}),
});

/** Returns the filter for the tokens of an account that have not ended. */
const aliveTokens = (core: Core, user: ObjectId): QueryFilter<SessionDoc> => ({
  user,
  token: { $exists: true },
  endedAt: { $exists: false },
  expiresAt: { $gt: core.clock.now() },
});

/** Returns the tokens of an account that have not ended, the newest first. */
export async function tokensOf(core: Core, user: ObjectId): Promise<PersonalToken[]> {
  const tokens = await core.models.Session.find(aliveTokens(core, user))
    .sort({ createAt: -1, _id: -1 })
    .limit(limits.tokens + throttles.otherViewer.points * 2)
    .lean<TokenDoc[]>();
  return tokens.map(present);
}

export const listTokens = async ({
  gateway,
  viewer,
}: Context<typeof securityCalls.listTokens>): Promise<Answer<PersonalToken[]>> => ({
  data: await tokensOf(gateway, viewer._id),
});

type Create = typeof securityCalls.createToken;

export async function createToken({ gateway, actor, viewer, body }: Context<Create>): Promise<Answer<DataOf<Create>>> {
  const { name, scopes, days } = body;
  const expiresAt = new Date(gateway.clock.now().getTime() + days * DAY_MS);
  const { token, doc } = newToken(gateway, viewer._id, { name, scopes }, expiresAt);
  await gateway.events.change(actor, async (tx) => {
    const { Session, User } = gateway.models;
    // Two devices that take the last place at once conflict here.
    await User.updateOne({ _id: viewer._id }, touch, { session: tx.session });
    // Addresses for another viewer end by themselves, and have a throttle of their own.
    const own = { ...aliveTokens(gateway, viewer._id), 'token.only': { $exists: false } };
    const count = await Session.countDocuments(own).session(tx.session);
    if (count >= limits.tokens) {
      throw new AppError('CONFLICT', { message: `An account has at most ${limits.tokens} personal tokens.` });
    }
    await Session.create([doc], { session: tx.session });
    const notMe = await issueNotMe(gateway, viewer._id, tx.session);
    tx.record({ type: 'token.create', record: doc._id, reason: body.scopes.join(' '), refs: { notMe } });
    return doc._id;
  });
  return { data: { ...present(doc), token } };
}

/** Makes a token, and the session as which it is kept. */
export function newToken(
  { clock }: Core,
  user: ObjectId,
  facts: Omit<TokenDoc['token'], 'hash'>,
  expiresAt: Date,
): { token: string; doc: TokenDoc } {
  const now = clock.now();
  const token = makeToken(tokenPrefix);
  const doc: TokenDoc = {
    _id: newId(now),
    user,
    createAt: now,
    // Before its creation: it has not been used yet.
    lastSeenAt: new Date(0),
    expiresAt,
    generation: 0,
    rotatedAt: now,
    ip: '',
    token: { ...facts, hash: hashToken(token) },
  };
  return { token, doc };
}

type Current = typeof securityCalls.getCurrentToken;

/** Returns the token of this call. A call of a signed-in person has none: `NOT_FOUND`. */
export async function getCurrentToken({ gateway, viewer }: Context<Current>): Promise<Answer<DataOf<Current>>> {
  const [session, user] = await Promise.all([gateway.readSession(viewer.sessionId), gateway.readUser(viewer._id)]);
  if (!session?.token || !user) throw new AppError('NOT_FOUND');
  const { username, role } = user;
  return { data: { ...present(session as TokenDoc), user: { id: viewer.id, username, role } } };
}

export async function revokeToken({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof securityCalls.revokeToken>): Promise<Answer<unknown>> {
  const id = oid(params.id);
  await gateway.events.change(actor, async (tx) => {
    const own = { ...aliveTokens(gateway, viewer._id), _id: id };
    const ended = await endSessions(gateway, own, 'revoked', tx.session);
    if (ended.length === 0) throw new AppError('NOT_FOUND');
    tx.record({ type: 'token.revoke', record: id });
    return id;
  });
  cutSockets(gateway, [id], 'revoked');
  return { data: null };
}

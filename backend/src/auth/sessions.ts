import { limits } from '@lightbox/contract/limits.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { findLiveLink } from '@lightbox/core/access/guests.js';
import { findWaiting, mayReceive } from '@lightbox/core/access/requests.js';
import { openedOriginal } from '@lightbox/core/access/shares.js';
import type { Core } from '@lightbox/core/core.js';
import { grouped } from '@lightbox/core/db/group.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { onOne } from '@lightbox/core/db/onOne.js';
import { AppError } from '@lightbox/core/errors.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { SignOn } from '@lightbox/core/models/signOn.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import type { ClientSession, QueryFilter } from 'mongoose';
import type { Gateway, Guest, Reader, Sender, Viewer } from '../context.js';
import { hasSecondFactor } from './authorize.js';
import { deviceOf } from './device.js';
import type { KeptSession, KeptUser } from './recent.js';
import type { Claims } from './tokens.js';

/** The maximum age of `lastSeenAt` before a call writes it again. */
export const TOUCH_MS = 10_000;

export async function startSession(
  core: Core,
  user: ObjectId,
  ip: string,
  tx: ClientSession | null,
  userAgent = '',
  signOn?: SignOn,
): Promise<SessionDoc> {
  const now = core.clock.now();
  const session: SessionDoc = {
    _id: newId(now),
    user,
    createAt: now,
    lastSeenAt: now,
    expiresAt: new Date(now.getTime() + limits.sessionHours * HOUR_MS),
    generation: 0,
    rotatedAt: now,
    ip,
    ...deviceOf(userAgent),
    ...(signOn ? { signOn } : {}),
  };
  await core.models.Session.create([session], { session: tx });
  return session;
}

/** Returns the filter for the signed-in devices of an account: its sessions for which `isAlive` is true, without tokens. */
export async function aliveSessions(core: Core, user: ObjectId): Promise<QueryFilter<SessionDoc>> {
  const now = core.clock.now();
  const idleSince = new Date(now.getTime() - (await core.settings.get('session.idleMinutes')) * 60_000);
  return {
    user,
    token: { $exists: false },
    endedAt: { $exists: false },
    expiresAt: { $gt: now },
    lastSeenAt: { $gt: idleSince },
  };
}

/** True when the session has not ended, has not expired and was not idle for too long. A personal token is never idle. */
export async function isAlive(
  core: Core,
  session: Pick<SessionDoc, 'endedAt' | 'token' | 'expiresAt' | 'lastSeenAt'> | null,
): Promise<boolean> {
  if (!session || session.endedAt) return false;
  const now = core.clock.now().getTime();
  if (session.token) return now < session.expiresAt.getTime();
  const idle = (await core.settings.get('session.idleMinutes')) * 60_000;
  return now < session.expiresAt.getTime() && now < session.lastSeenAt.getTime() + idle;
}

/**
 * Returns the person of an access token. Throws `AUTHENTICATION_FAILED` when session or account is not valid. With
 * `active` the call counts as activity of the session.
 */
export async function viewerOf(
  gateway: Gateway,
  claims: Pick<Claims, 'sub' | 'rid'>,
  active: boolean,
): Promise<Viewer> {
  const { sessions, users } = gateway.recent;
  const [session, user] = await Promise.all([
    sessions.read(claims.rid, () => gateway.readSession(oid(claims.rid))),
    users.read(claims.sub, () => gateway.readUser(oid(claims.sub))),
  ]);
  if (!session?.user.equals(claims.sub) || !(await isAlive(gateway, session)) || !isUsable(user)) {
    throw new AppError('AUTHENTICATION_FAILED');
  }
  await requireShareOf(gateway, session);
  if (active) touch(gateway, session);
  return viewerFrom(session, user);
}

/** Throws when the share has ended on which the token of a viewer rests. */
async function requireShareOf({ models, clock }: Gateway, { token }: KeptSession): Promise<void> {
  if (!token?.share) return;
  const live = await models.Share.exists({ _id: token.share, ...openedOriginal(clock.now()) }).readConcern(NEWEST);
  if (!live) throw new AppError('AUTHENTICATION_FAILED');
}

/** As `viewerOf`, by what was read a moment ago if that permits the call (`recent.ts`). */
export async function recentViewer(
  gateway: Gateway,
  claims: Pick<Claims, 'sub' | 'rid'>,
  active: boolean,
): Promise<Viewer> {
  const session = gateway.recent.sessions.get(claims.rid);
  const user = gateway.recent.users.get(claims.sub) ?? null;
  if (!session?.user.equals(claims.sub) || !isUsable(user) || !(await isAlive(gateway, session))) {
    return viewerOf(gateway, claims, active);
  }
  await requireShareOf(gateway, session);
  if (active) touch(gateway, session);
  return viewerFrom(session, user);
}

const viewerFrom = (session: KeptSession, user: KeptUser): Viewer => ({
  id: String(user._id),
  _id: user._id,
  role: user.role,
  secondFactor: hasSecondFactor(user) || session.signOn?.strong === true,
  sessionId: session._id,
  ...(session.token?.only ? { only: session.token.only } : {}),
});

/** Returns the guest of a guest's token. Throws `AUTHENTICATION_FAILED` when the link has ended. */
export async function guestOf(gateway: Gateway, { sub, rid }: Pick<Claims, 'sub' | 'rid'>): Promise<Guest> {
  const link = await findLiveLink(gateway.models, oid(sub), gateway.clock.now());
  if (!link) throw new AppError('AUTHENTICATION_FAILED');
  return { id: sub, _id: link._id, role: 'guest', sessionId: oid(rid) };
}

/** Returns the sender of a sender's token. Throws `AUTHENTICATION_FAILED` when the request takes no files. */
export async function senderOf(gateway: Gateway, { sub, rid }: Pick<Claims, 'sub' | 'rid'>): Promise<Sender> {
  const request = await findWaiting(gateway.models, oid(sub), gateway.clock.now());
  if (!request || !mayReceive(await gateway.readUser(request.by))) throw new AppError('AUTHENTICATION_FAILED');
  return { id: sub, _id: request._id, role: 'sender', sessionId: oid(rid), by: request.by, kind: request.kind };
}

/**
 * Reads the viewer again, in the same session. Throws `AUTHENTICATION_FAILED` when session, account or link is not
 * valid.
 */
export const currentViewer = (gateway: Gateway, { id, role, sessionId }: Reader): Promise<Reader> => {
  const claims = { sub: id, rid: String(sessionId) };
  return role === 'guest' ? guestOf(gateway, claims) : viewerOf(gateway, claims, false);
};

/** Writes the activity of sessions, those of the same moment together. */
export const createToucher = (core: Core): ((id: ObjectId) => Promise<void>) =>
  grouped(async (ids) => {
    const seen = { $max: { lastSeenAt: core.clock.now() } };
    await core.models.Session.updateMany({ _id: { $in: ids } }, seen, onOne);
    return ids.map(() => undefined);
  });

/** No answer waits for it: a lost write is repeated by the next activity. */
function touch(gateway: Gateway, session: KeptSession): void {
  const now = gateway.clock.now();
  if (now.getTime() - session.lastSeenAt.getTime() < TOUCH_MS) return;
  session.lastSeenAt = now;
  gateway.touchSession(session._id).catch((error) => gateway.warn(error, 'the activity of a session was not written'));
}

/**
 * Throws `AUTHENTICATION_FAILED` when the session of a socket event has ended or was idle for too long. With `active` the
 * event counts as activity of the session.
 */
export async function keepSession(gateway: Gateway, id: ObjectId, active: boolean): Promise<void> {
  const { sessions } = gateway.recent;
  const kept = sessions.get(String(id)) ?? null;
  const session = (await isAlive(gateway, kept))
    ? kept
    : await sessions.read(String(id), () => gateway.readSession(id));
  if (!session || !(await isAlive(gateway, session))) throw new AppError('AUTHENTICATION_FAILED');
  if (active) touch(gateway, session);
}

/**
 * Ends sessions as part of a transaction (`endAccess` ends all access to an account). All that was begun in them ends too: their
 * push subscriptions, as a device must get no notifications after its sign-out, and their tokens for another viewer.
 * Returns the ended sessions: call `cutSockets` with them after the commit.
 */
export async function endSessions(
  core: Core,
  filter: QueryFilter<SessionDoc>,
  reason: string,
  tx: ClientSession,
): Promise<ObjectId[]> {
  const open = { ...filter, endedAt: { $exists: false } };
  const sessions = await core.models.Session.find(open, { _id: 1 }, { session: tx }).lean();
  const ids = sessions.map((session) => session._id);
  const end = { $set: { endedAt: core.clock.now(), endReason: reason } };
  await core.models.Session.updateMany({ _id: { $in: ids } }, end, { session: tx });
  const begun = { 'token.session': { $in: ids }, endedAt: { $exists: false } };
  await core.models.Session.updateMany(begun, end, { session: tx });
  await core.models.PushSubscription.deleteMany({ session: { $in: ids } }, { session: tx });
  return ids;
}

/**
 * Disconnects the sockets of these sessions, on all gateways at once. If the signal is lost, every gateway finds the
 * ended sessions by itself.
 */
export function cutSockets(core: Core, sessions: ObjectId[], reason: string): void {
  if (sessions.length === 0) return;
  core.signals.send([{ cut: { sessions: sessions.map(String), reason } }]).catch(() => undefined);
}

import type { authCalls } from '@lightbox/contract/auth/calls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway } from '../context.js';
import { endSessionUrl } from '../signOn/signIn.js';
import { clearSessionCookies, requireRefreshCookie, setSessionCookies } from './cookies.js';
import { cutSockets, endSessions, isAlive } from './sessions.js';

/** Issues an access token for the refresh cookie, and replaces the cookie. */
export async function refresh({
  gateway,
  req,
  res,
  actor,
}: Context<typeof authCalls.refresh>): Promise<Answer<DataOf<typeof authCalls.refresh>>> {
  const claim = requireRefreshCookie(gateway, req);
  const session = await rotate(gateway, claim.sessionId, claim.generation);
  if (!session) {
    await endIfReused(gateway, actor.ip, claim.sessionId, claim.generation);
    throw new AppError('AUTHENTICATION_FAILED');
  }
  const user = await gateway.models.User.findById(session.user).lean<UserDoc>();
  if (!isUsable(user) || !(await isAlive(gateway, session))) throw new AppError('AUTHENTICATION_FAILED');
  setSessionCookies(gateway, res, String(session._id), session.generation);
  return { data: { token: gateway.tokens.access(String(user._id), String(session._id)) } };
}

/**
 * Returns the session after this refresh: one generation further, or, for the cookie that was just replaced, unchanged.
 * Null for an older cookie.
 */
async function rotate(gateway: Gateway, sessionId: string, generation: number): Promise<SessionDoc | null> {
  const now = gateway.clock.now();
  const open = { _id: oid(sessionId), endedAt: { $exists: false } };
  const next = await gateway.models.Session.findOneAndUpdate(
    { ...open, generation },
    { $set: { generation: generation + 1, rotatedAt: now } },
    { returnDocument: 'after' },
  ).lean<SessionDoc>();
  if (next) return next;
  // Two tabs refreshed at once, or an answer was lost: return the same successor again.
  const since = new Date(now.getTime() - limits.refreshGraceSeconds * 1000);
  return gateway.models.Session.findOne({
    ...open,
    generation: generation + 1,
    rotatedAt: { $gt: since },
  }).lean<SessionDoc>();
}

/** Ends the session when an older cookie is used: an attacker may have a copy of it. */
async function endIfReused(gateway: Gateway, ip: string, sessionId: string, generation: number): Promise<void> {
  const session = await gateway.models.Session.findById(oid(sessionId)).lean<SessionDoc>();
  if (!session || session.endedAt || session.generation <= generation) return;
  await gateway.events.change({ ip, id: session.user }, async (tx) => {
    await endSessions(gateway, { _id: session._id }, 'reuse', tx.session);
    tx.record({ type: 'auth.refreshReused', record: session._id, status: 'failed' });
    return session._id;
  });
  cutSockets(gateway, [session._id], 'reuse');
}

export async function logout({
  gateway,
  actor,
  viewer,
  res,
}: Context<typeof authCalls.logout>): Promise<Answer<DataOf<typeof authCalls.logout>>> {
  const session = await gateway.readSession(viewer.sessionId);
  await gateway.events.change(actor, async (tx) => {
    await endSessions(gateway, { _id: viewer.sessionId }, 'logout', tx.session);
    tx.record({ type: 'auth.logout', record: viewer.sessionId });
    return viewer.sessionId;
  });
  cutSockets(gateway, [viewer.sessionId], 'logout');
  clearSessionCookies(gateway, res);
  res.setHeader('Clear-Site-Data', '"cache"');
  const url = await endSessionUrl(gateway, session?.signOn);
  return { data: url === null ? null : { url }, message: texts.loggedOut };
}

import {
  type OwnSession,
  type SignInEntry,
  type securityCalls,
  signInActions,
} from '@lightbox/contract/auth/securityCalls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { Answer, Context } from '../context.js';
import { clearSessionCookies } from './cookies.js';
import { endAccess } from './endAccess.js';
import { aliveSessions, cutSockets, endSessions } from './sessions.js';

/** The maximum length of the list: a script that signs in again and again must not make it endless. */
const MAX_SESSIONS = 200;

export async function listSessions({
  gateway,
  viewer,
}: Context<typeof securityCalls.listSessions>): Promise<Answer<OwnSession[]>> {
  const sessions = await gateway.models.Session.find(await aliveSessions(gateway, viewer._id))
    .sort({ createAt: -1, _id: -1 })
    .limit(MAX_SESSIONS)
    .lean<SessionDoc[]>();
  return {
    data: sessions.map(({ _id, createAt, lastSeenAt, expiresAt, ip, browser, system }) => ({
      id: String(_id),
      createAt: createAt.toISOString(),
      lastSeenAt: lastSeenAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      ip,
      ...(browser ? { browser } : {}),
      ...(system ? { system } : {}),
      current: _id.equals(viewer.sessionId),
    })),
  };
}

/** Ends a session of the viewer. Another person's session, an ended one and an unknown id are all `NOT_FOUND`. */
export async function endSession({
  gateway,
  actor,
  viewer,
  params,
  res,
}: Context<typeof securityCalls.endSession>): Promise<Answer<unknown>> {
  const id = oid(params.id);
  await gateway.events.change(actor, async (tx) => {
    const own = { ...(await aliveSessions(gateway, viewer._id)), _id: id };
    const ended = await endSessions(gateway, own, 'signedOut', tx.session);
    if (ended.length === 0) throw new AppError('NOT_FOUND');
    tx.record({ type: 'session.end', record: id });
    return id;
  });
  cutSockets(gateway, [id], 'signedOut');
  if (id.equals(viewer.sessionId)) clearSessionCookies(gateway, res);
  return { data: null };
}

type EndOthers = typeof securityCalls.endOtherSessions;

export async function endOtherSessions({
  gateway,
  actor,
  viewer,
}: Context<EndOthers>): Promise<Answer<DataOf<EndOthers>>> {
  let [ended, silent]: [ObjectId[], ObjectId[]] = [[], []];
  await gateway.events.change(actor, async (tx) => {
    const alive = await aliveSessions(gateway, viewer._id);
    const others = { ...alive, _id: { $ne: viewer.sessionId } };
    ended = await endSessions(gateway, others, 'signedOut', tx.session);
    // Also end sign-ins without a session yet, personal tokens, and whatever idle sessions left behind.
    silent = await endAccess(gateway, viewer._id, 'signedOut', tx.session, { except: viewer.sessionId });
    if (ended.length > 0) tx.record({ type: 'session.end', records: ended });
    return viewer.sessionId;
  });
  cutSockets(gateway, [...ended, ...silent], 'signedOut');
  return { data: { ended: ended.length } };
}

/** The right password alone is not a sign-in: only the code after it completes one. */
const passwordOnly = { type: 'auth.login', status: 'success' } as const;
/** A question for a proof of identity, not a refusal: the call is repeated with the proof. */
const asked = { status: 'denied', reason: 'STEP_UP_REQUIRED' } as const;

export async function listSignIns({
  gateway,
  actor,
  viewer,
  query,
}: Context<typeof securityCalls.listSignIns>): Promise<Answer<SignInEntry[]>> {
  const { rows, pagination } = await gateway.pages.list<AuditEntryDoc>(
    {
      model: gateway.models.AuditEntry,
      filter: { actor: viewer._id, type: { $in: [...signInActions] }, $nor: [passwordOnly, asked] },
      sort: ['at', 'seq'],
      direction: -1,
    },
    query,
  );
  await gateway.events.record(actor, {
    type: 'session.history',
    records: rows.map((row) => row._id),
  });
  return {
    data: rows.map((row) => ({
      id: String(row._id),
      createAt: row.at.toISOString(),
      actiontype: row.type as SignInEntry['actiontype'],
      status: row.status,
      ipaddress: row.ip,
      reason: row.reason,
    })),
    pagination,
  };
}

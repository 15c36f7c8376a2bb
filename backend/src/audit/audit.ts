import { setTimeout } from 'node:timers/promises';
import type { AuditEntry, auditCalls } from '@lightbox/contract/audit/calls.js';
import { mayReadAddresses } from '@lightbox/contract/audit/policy.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { verifyAndNote } from '@lightbox/core/audit/noteHead.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { entriesOf } from './entries.js';
import { objectsOf } from './objects.js';

/** Longest time that a caller waits for a verification. */
const VERIFY_MS = 25_000;

type ListCall = typeof auditCalls.listAudit;

export async function listAudit({ gateway, actor, viewer, query }: Context<ListCall>): Promise<Answer<AuditEntry[]>> {
  const { page, limit, cursor, ...wanted } = query;
  const { rows, pagination } = await gateway.pages.list(await entriesOf(gateway, viewer, wanted), {
    page,
    limit,
    cursor,
  });
  await gateway.events.record(actor, { type: 'audit.list', records: rows.map((row) => row._id) });
  return { data: await presentEntries(gateway, viewer, rows, { named: true }), pagination };
}

/**
 * Presents entries as this viewer may read them, with the names of the actors. `named`: with those of the records too,
 * which an export leaves out.
 */
export async function presentEntries(
  gateway: Gateway,
  viewer: Viewer,
  entries: AuditEntryDoc[],
  { named = false } = {},
): Promise<AuditEntry[]> {
  const users = await gateway.models.User.find(
    { _id: { $in: entries.flatMap((entry) => (entry.actor ? [entry.actor] : [])) } },
    { firstname: 1, lastname: 1, username: 1, deletedAt: 1 },
  ).lean<UserDoc[]>();
  const byId = new Map(users.map((user) => [String(user._id), user]));
  const objects = named ? await objectsOf(gateway, viewer, entries) : new Map<string, never>();
  return entries.map((entry) => ({
    ...objectOf(objects.get(String(entry.record))),
    id: String(entry._id),
    createAt: entry.at.toISOString(),
    user: entry.actor ? presentActor(byId.get(String(entry.actor)), String(entry.actor)) : null,
    ...(entry.token ? { tokenId: String(entry.token) } : {}),
    ...(entry.node ? { nodeId: String(entry.node) } : {}),
    actiontype: entry.type,
    tablename: entry.table,
    ...(entry.record ? { recordId: String(entry.record) } : {}),
    ...(entry.records ? { recordIds: recordsFor(viewer, entry).map(String) } : {}),
    ipaddress: mayReadAddresses(viewer.role) ? entry.ip : '',
    status: entry.status,
    reason: entry.reason,
    seq: entry.seq,
    hash: entry.hash,
  }));
}

const objectOf = (object: AuditEntry['object']) => (object ? { object } : {});

/**
 * Returns the records of an entry that the viewer may know. Of a list that another person read, an owner sees only
 * their own images.
 */
function recordsFor(viewer: Viewer, entry: AuditEntryDoc): ObjectId[] {
  const records = entry.records ?? [];
  if (viewer.role === 'admin' || entry.actor?.equals(viewer._id)) return records;
  return records.filter((_, i) => entry.owners?.[i]?.equals(viewer._id));
}

const presentActor = (user: UserDoc | undefined, id: string) =>
  user && !user.deletedAt
    ? { id, firstname: user.firstname ?? '', lastname: user.lastname ?? '', username: user.username }
    : { id, firstname: 'Deleted', lastname: 'user', username: '' };

export async function checkAudit({
  gateway,
  actor,
  query,
}: Context<typeof auditCalls.verifyAudit>): Promise<Answer<DataOf<typeof auditCalls.verifyAudit>>> {
  await gateway.events.record(actor, { type: 'audit.verify' });
  const answered = new AbortController();
  const tooLong = setTimeout(VERIFY_MS, null, { signal: answered.signal }).catch(() => null);
  const done = await Promise.race([verifyAndNote(gateway, query.since), tooLong]);
  answered.abort();
  // The verification continues. A call before its end waits for the same result.
  if (!done) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 30, message: 'The log is still being verified.' });
  return { data: done.verdict };
}

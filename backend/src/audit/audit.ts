import type { AuditEntry, auditCalls } from '@lightbox/contract/audit/calls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { verifyAudit } from '@lightbox/core/audit/chain.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { AuditEntryDoc, UserDoc } from '@lightbox/core/models/types.js';
import { searchFilter } from '@lightbox/core/text.js';
import type { QueryFilter } from 'mongoose';
import type { Answer, Context, Gateway, Viewer } from '../context.js';

type ListCall = typeof auditCalls.listAudit;
const MOST_PEOPLE = 1000;

export async function listAudit({ gateway, actor, viewer, query }: Context<ListCall>): Promise<Answer<AuditEntry[]>> {
  const { search, from, to, actiontype, ...page } = query;
  const wanted: QueryFilter<AuditEntryDoc>[] = [
    ...(viewer.role === 'admin' ? [] : [{ concerns: viewer._id }]),
    ...(search ? [{ actor: { $in: await peopleNamed(gateway, viewer, search) } }] : []),
    ...(from || to ? [{ at: { ...(from ? { $gte: new Date(from) } : {}), ...(to ? { $lte: endOf(to) } : {}) } }] : []),
    ...(actiontype ? [{ type: actiontype }] : []),
  ];
  const free = Boolean(search || from || to || actiontype);
  const { rows, pagination } = await gateway.pages.list<AuditEntryDoc>(
    {
      model: gateway.models.AuditEntry,
      filter: wanted.length > 0 ? { $and: wanted } : {},
      sort: ['seq'],
      direction: -1,
      ...(free ? {} : { counter: viewer.role === 'admin' ? 'audit' : `audit:${viewer.id}` }),
    },
    page,
  );
  await gateway.events.record(actor, { type: 'audit.list', table: 'auditlogs', records: rows.map((row) => row._id) });
  return { data: await present(gateway, viewer, rows), pagination };
}

/** A bare date means the whole of that day. */
const endOf = (to: string): Date => (to.length === 10 ? new Date(`${to}T23:59:59.999Z`) : new Date(to));

async function peopleNamed(gateway: Gateway, viewer: Viewer, search: string): Promise<ObjectId[]> {
  const matching = searchFilter(search);
  const seen = viewer.role === 'admin' ? {} : { $or: [await visibleUsers(gateway, viewer), { _id: viewer._id }] };
  const users = await gateway.models.User.find({ $and: [matching, seen] }, { _id: 1 })
    .limit(MOST_PEOPLE)
    .lean();
  return users.map((user) => user._id);
}

async function present(gateway: Gateway, viewer: Viewer, entries: AuditEntryDoc[]): Promise<AuditEntry[]> {
  const users = await gateway.models.User.find(
    { _id: { $in: entries.flatMap((entry) => (entry.actor ? [entry.actor] : [])) } },
    { firstname: 1, lastname: 1, username: 1, deletedAt: 1 },
  ).lean<UserDoc[]>();
  const byId = new Map(users.map((user) => [String(user._id), user]));
  return entries.map((entry) => ({
    id: String(entry._id),
    createAt: entry.at.toISOString(),
    user: entry.actor ? presentActor(byId.get(String(entry.actor)), String(entry.actor)) : null,
    actiontype: entry.type,
    tablename: entry.table,
    ...(entry.record ? { recordId: String(entry.record) } : {}),
    ...(entry.records ? { recordIds: recordsFor(viewer, entry).map(String) } : {}),
    ipaddress: entry.ip,
    status: entry.status,
    reason: entry.reason,
    seq: entry.seq,
    hash: entry.hash,
  }));
}

/** Of a list that somebody else read, an owner learns of their own images only. */
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
}: Context<typeof auditCalls.verifyAudit>): Promise<Answer<DataOf<typeof auditCalls.verifyAudit>>> {
  await gateway.events.record(actor, { type: 'audit.verify', table: 'auditlogs' });
  return { data: await verifyAudit(gateway.models, gateway.keys.audit) };
}

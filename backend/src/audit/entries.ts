import { type auditCalls, type auditSorts, auditStatuses } from '@lightbox/contract/audit/calls.js';
import { mayPickPerson } from '@lightbox/contract/audit/policy.js';
import type { QueryOf } from '@lightbox/contract/call.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { type ListSource, type Orders, orderOf } from '@lightbox/core/db/page.js';
import { fieldError } from '@lightbox/core/errors.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import { searchFilter } from '@lightbox/core/users/search.js';
import type { QueryFilter } from 'mongoose';
import type { Gateway, Viewer } from '../context.js';

type Wanted = Omit<QueryOf<typeof auditCalls.exportAudit>, 'format'>;
const MOST_PEOPLE = 1000;

/** `seq` only decides between entries of one moment. */
const orders: Orders<AuditEntryDoc, (typeof auditSorts)[number]> = { createAt: ['at', 'seq'] };

/** Which entries of the log this viewer reads, and in what order; the list and its exports read the same ones. */
export async function entriesOf(gateway: Gateway, viewer: Viewer, wanted: Wanted): Promise<ListSource<AuditEntryDoc>> {
  const { search, from, to, actiontype, status, user, sort } = wanted;
  if (user && !mayPickPerson(viewer.role)) throw fieldError('user', 'You cannot filter by this.');
  const all = viewer.role === 'admin';
  const filters: QueryFilter<AuditEntryDoc>[] = [
    ...(all ? [] : [{ concerns: viewer._id }]),
    ...(search ? [{ actor: { $in: await peopleNamed(gateway, viewer, search) } }] : []),
    ...(user ? [{ actor: oid(user) }] : []),
    ...(from || to ? [{ at: { ...(from ? { $gte: new Date(from) } : {}), ...(to ? { $lte: endOf(to) } : {}) } }] : []),
    ...(actiontype ? [{ type: actiontype }] : []),
    // Named even when any will do: an index with the status before the time then merges its three runs in order.
    ...(status
      ? [{ status }]
      : all && !actiontype && !user && !search
        ? []
        : [{ status: { $in: [...auditStatuses] } }]),
  ];
  const free = Boolean(search || from || to || actiontype || status || user);
  return {
    model: gateway.models.AuditEntry,
    filter: filters.length > 0 ? { $and: filters } : {},
    ...orderOf(orders, sort),
    ...(free ? {} : { counter: all ? 'audit' : `audit:${viewer.id}` }),
  };
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

import { type auditCalls, type auditSorts, auditStatuses } from '@lightbox/contract/audit/calls.js';
import { actionsIn, listActions } from '@lightbox/contract/audit/groups.js';
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
const MAX_PEOPLE = 1000;

/** `seq` orders entries with the same time. */
const orders: Orders<AuditEntryDoc, (typeof auditSorts)[number]> = { createAt: ['at', 'seq'] };

/**
 * Returns filter, order and counter of the entries that this viewer reads. The list and its exports use the same. Of
 * other people, an owner sees what they did with the images, and not that they read a list or a timeline.
 */
export async function entriesOf(gateway: Gateway, viewer: Viewer, wanted: Wanted): Promise<ListSource<AuditEntryDoc>> {
  const { search, from, to, actiontype, status, user, record, group, lists, sort } = wanted;
  if (user && !mayPickPerson(viewer.role)) throw fieldError('user', 'You cannot filter by this.');
  const all = viewer.role === 'admin';
  const filters: QueryFilter<AuditEntryDoc>[] = [
    ...(all ? [] : [concerning(viewer)]),
    ...(record ? [{ record: oid(record) }] : []),
    ...(group ? [{ type: { $in: actionsIn(group) } }] : []),
    ...(lists || actiontype || group ? [] : [{ type: { $nin: listActions } }]),
    ...(search ? [{ actor: { $in: await peopleNamed(gateway, viewer, search) } }] : []),
    ...(user ? [{ actor: oid(user) }] : []),
    ...(from || to ? [{ at: { ...(from ? { $gte: new Date(from) } : {}), ...(to ? { $lte: endOf(to) } : {}) } }] : []),
    ...(actiontype ? [{ type: actiontype }] : []),
    // List all statuses when none is chosen: MongoDB can then use the index with the status before the time with
    // SORT_MERGE.
    ...(status
      ? [{ status }]
      : all && !actiontype && !user && !search && !group
        ? []
        : [{ status: { $in: [...auditStatuses] } }]),
  ];
  const isNarrowed = Boolean(search || from || to || actiontype || status || user || record || group || !lists);
  return {
    model: gateway.models.AuditEntry,
    filter: filters.length > 0 ? { $and: filters } : {},
    ...orderOf(orders, sort),
    ...(isNarrowed ? {} : { counter: all ? 'audit' : `audit:${viewer.id}:shown` }),
  };
}

/** The entries of a person's own acts, and of what others did with the images that the person owns, as a filter. */
export const concerning = ({ _id }: Pick<Viewer, '_id'>): QueryFilter<AuditEntryDoc> => ({
  $and: [{ concerns: _id }, { $or: [{ actor: _id }, { type: { $nin: listActions } }] }],
});

/** Returns the end of a range. A date without a time means the end of that day. */
export const endOf = (to: string): Date => (to.length === 10 ? new Date(`${to}T23:59:59.999Z`) : new Date(to));

async function peopleNamed(gateway: Gateway, viewer: Viewer, search: string): Promise<ObjectId[]> {
  const matching = searchFilter(search);
  const seen = viewer.role === 'admin' ? {} : { $or: [await visibleUsers(gateway, viewer), { _id: viewer._id }] };
  const users = await gateway.models.User.find({ $and: [matching, seen] }, { _id: 1 })
    .limit(MAX_PEOPLE)
    .lean();
  return users.map((user) => user._id);
}

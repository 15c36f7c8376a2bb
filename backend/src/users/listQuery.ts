import type { QueryOf } from '@lightbox/contract/call.js';
import { roles } from '@lightbox/contract/permissions.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { maySortBy, type UserSort } from '@lightbox/contract/users/policy.js';
import { UserStatus } from '@lightbox/contract/users/schemas.js';
import { visibleOpenUsers, visibleUsers } from '@lightbox/core/access/users.js';
import { keyOf, type ListSource, type Orders, orderOf } from '@lightbox/core/db/page.js';
import { fieldError } from '@lightbox/core/errors.js';
import { bySearch, type UserDoc } from '@lightbox/core/models/user.js';
import { searchFilter } from '@lightbox/core/users/search.js';
import type { QueryFilter } from 'mongoose';
import type { Gateway, Viewer } from '../context.js';

const orders: Orders<UserDoc, UserSort> = {
  name: ['sortKey', '_id'],
  email: ['email'],
  role: ['role', 'status', 'active', 'sortKey', '_id'],
  status: ['status', 'role', 'active', 'sortKey', '_id'],
  active: ['active', 'role', 'status', 'sortKey', '_id'],
  createAt: ['createAt', '_id'],
};

/** Lists all values of each field without a filter: MongoDB can then use the compound index with SORT_MERGE. */
const everyValue = {
  role: { $in: [...roles] },
  status: { $in: [...UserStatus.options] },
  active: { $in: [true, false] },
};

type Wanted = Pick<QueryOf<typeof userCalls.listUsers>, 'search' | 'role' | 'status' | 'sort'>;

/** Returns filter, order and counter of the list of people for this viewer. The list and its export use the same. */
export async function peopleOf(gateway: Gateway, viewer: Viewer, wanted: Wanted): Promise<ListSource<UserDoc>> {
  const { search, role, status, sort } = wanted;
  if (!maySortBy(viewer.role, keyOf<UserSort>(sort))) throw fieldError('sort', 'You cannot sort by this.');
  const narrowed = { ...(role ? { role } : {}), ...(status ? { status } : {}), ...searchFilter(search) };
  const isNarrowed = Object.keys(narrowed).length > 0;
  return {
    model: gateway.models.User,
    filter: { $and: [search ? {} : everyValue, await visibleUsers(gateway, viewer), narrowed] },
    ...orderOf(orders, sort),
    ...(search ? { counted: await countedBy(gateway, viewer, narrowed) } : {}),
    ...(isNarrowed ? {} : { counter: await counterOf(gateway, viewer) }),
  };
}

/** A closed account has no words, so the index need not say which accounts are closed. */
const countedBy = async (gateway: Gateway, viewer: Viewer, narrowed: QueryFilter<UserDoc>) => ({
  filter: { $and: [await visibleOpenUsers(gateway, viewer), narrowed] },
  index: bySearch,
});

/**
 * Returns the name of the list's counter. Lists that are the same for a whole role share one; a provider who sees only
 * known patients has their own.
 */
export async function counterOf({ settings }: Gateway, { id, role }: Viewer): Promise<string> {
  const own = role === 'healthProvider' && (await settings.get('directory.patients')) === 'known';
  return own ? `users:known:${id}` : `users:${role}`;
}

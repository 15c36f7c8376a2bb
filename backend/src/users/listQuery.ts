import type { QueryOf } from '@lightbox/contract/call.js';
import { roles } from '@lightbox/contract/permissions.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { maySortBy, type UserSort } from '@lightbox/contract/users/policy.js';
import { UserStatus } from '@lightbox/contract/users/schemas.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { keyOf, type ListSource, type Orders, orderOf } from '@lightbox/core/db/page.js';
import { fieldError } from '@lightbox/core/errors.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { searchFilter } from '@lightbox/core/users/search.js';
import type { Gateway, Viewer } from '../context.js';

const orders: Orders<UserDoc, UserSort> = {
  name: ['sortKey', '_id'],
  email: ['email'],
  role: ['role', 'status', 'active', 'sortKey', '_id'],
  status: ['status', 'role', 'active', 'sortKey', '_id'],
  active: ['active', 'role', 'status', 'sortKey', '_id'],
  createAt: ['createAt', '_id'],
};

/** What is not narrowed is still named, value by value: an index that begins with all of them then merges its few runs in order. */
const anybody = {
  role: { $in: [...roles] },
  status: { $in: [...UserStatus.options] },
  active: { $in: [true, false] },
};

type Wanted = Pick<QueryOf<typeof userCalls.listUsers>, 'search' | 'role' | 'status' | 'sort'>;

/** Whom the list is of, for this viewer, and in what order; the list and its export read the same people. */
export async function peopleOf(gateway: Gateway, viewer: Viewer, wanted: Wanted): Promise<ListSource<UserDoc>> {
  const { search, role, status, sort } = wanted;
  if (!maySortBy(viewer.role, keyOf<UserSort>(sort))) throw fieldError('sort', 'You cannot sort by this.');
  const narrowed = { ...(role ? { role } : {}), ...(status ? { status } : {}), ...searchFilter(search) };
  const free = Object.keys(narrowed).length > 0;
  return {
    model: gateway.models.User,
    filter: { $and: [search ? {} : anybody, await visibleUsers(gateway, viewer), narrowed] },
    ...orderOf(orders, sort),
    ...(free ? {} : { counter: await counterOf(gateway, viewer) }),
  };
}

/** Lists that are the same for a whole role share a counter; whom a provider knows is a list of their own. */
export async function counterOf({ settings }: Gateway, { id, role }: Viewer): Promise<string> {
  const own = role === 'healthProvider' && (await settings.get('directory.patients')) === 'known';
  return own ? `users:known:${id}` : `users:${role}`;
}

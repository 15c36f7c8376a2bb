import type { UserRef } from '@lightbox/contract/users/schemas.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Recent } from '../auth/recent.js';
import { presentRef, refFields } from './present.js';

/** Reads the names of many accounts in one query, but for those that are kept. Returns a lookup by id. */
export async function namesOf(
  models: Models,
  ids: (ObjectId | undefined)[],
  kept?: Recent['users'],
): Promise<(id: ObjectId) => UserRef> {
  const all = ids.filter((id) => id !== undefined);
  const known = all.flatMap((id) => kept?.get(String(id)) ?? []);
  const byId = new Map(known.map((user) => [String(user._id), user]));
  const wanted = all.filter((id) => !byId.has(String(id)));
  const read = wanted.length > 0 ? await models.User.find({ _id: { $in: wanted } }, refFields).lean<UserDoc[]>() : [];
  for (const user of read) byId.set(String(user._id), user);
  return (id) => presentRef(byId.get(String(id)), String(id));
}

import type { UserRef } from '@lightbox/contract/users/schemas.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { presentRef, refFields } from './present.js';

/** Reads the names of many accounts in one query. Returns a lookup by id. */
export async function namesOf(models: Models, ids: (ObjectId | undefined)[]): Promise<(id: ObjectId) => UserRef> {
  const wanted = ids.filter((id) => id !== undefined);
  const users = wanted.length > 0 ? await models.User.find({ _id: { $in: wanted } }, refFields).lean<UserDoc[]>() : [];
  const byId = new Map(users.map((user) => [String(user._id), user]));
  return (id) => presentRef(byId.get(String(id)), String(id));
}

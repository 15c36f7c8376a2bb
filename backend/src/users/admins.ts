import { usableAdmin } from '@lightbox/core/access/accounts.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';

/** Those who are told of what administrators have to see to. */
export async function activeAdmins({ models }: Core): Promise<ObjectId[]> {
  const admins = await models.User.find(usableAdmin, { _id: 1 }).lean();
  return admins.map((admin) => admin._id);
}

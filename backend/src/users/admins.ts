import { usableAdmin } from '@lightbox/core/access/accounts.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';
import { leavesAWayIn } from '../signOn/local.js';

/** Returns the administrators who get notices. */
export async function activeAdmins({ models }: Core): Promise<ObjectId[]> {
  const admins = await models.User.find(usableAdmin, { _id: 1 }).lean();
  return admins.map((admin) => admin._id);
}

/**
 * Throws `LAST_ADMIN` when no other administrator would be left without `user`, and `LAST_BREAK_GLASS` when none who can
 * sign in without a provider. Part of every transaction that ends or changes an administrator.
 */
export async function keepAnAdmin(core: Core, user: UserDoc, tx: ClientSession): Promise<void> {
  if (user.role !== 'admin') return;
  if (!(await leavesAWayIn(core, tx, user))) throw new AppError('LAST_BREAK_GLASS');
  const other = await holdUser(core.models, { ...usableAdmin, _id: { $ne: user._id } }, tx);
  if (!other) throw new AppError('LAST_ADMIN');
}

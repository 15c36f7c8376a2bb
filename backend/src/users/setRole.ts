import type { Role } from '@lightbox/contract/permissions.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { endAccess } from '../auth/endAccess.js';
import type { Gateway } from '../context.js';
import { keepAnAdmin } from './admins.js';
import { endGrounds } from './endGrounds.js';

/**
 * Changes the role of an account, as part of a transaction: all access under the former role ends. Returns the ended
 * sessions: call `cutSockets` with them after the commit.
 */
export async function setRole(gateway: Gateway, tx: Transaction, user: UserDoc, role: Role): Promise<ObjectId[]> {
  await keepAnAdmin(gateway, user, tx.session);
  const changed = await gateway.models.User.updateOne(
    { _id: user._id, role: user.role, status: user.status, deletedAt: { $exists: false } },
    { $set: { role } },
    { session: tx.session },
  );
  if (changed.modifiedCount !== 1) throw new AppError('CONFLICT');
  const ended = await endAccess(gateway, user._id, 'roleChanged', tx.session);
  await endGrounds(gateway, tx, user._id);
  tx.record({ type: 'user.role', record: user._id, reason: `${user.role} → ${role}` });
  return ended;
}

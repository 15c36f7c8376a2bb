import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { endAccess } from '../auth/endAccess.js';
import type { Gateway } from '../context.js';
import { keepAnAdmin } from './admins.js';
import { endGrounds } from './endGrounds.js';

/**
 * Activates or deactivates an account, as part of a transaction. All its access ends: sessions, tokens and live
 * connections. Returns the ended sessions: call `cutSockets` with them after the commit.
 */
export async function setActive(
  gateway: Gateway,
  tx: Transaction,
  user: UserDoc,
  active: boolean,
  reason = '',
): Promise<ObjectId[]> {
  if (!active) await keepAnAdmin(gateway, user, tx.session);
  const changed = await gateway.models.User.updateOne(
    { _id: user._id, active: user.active, deletedAt: { $exists: false } },
    { $set: { active } },
    { session: tx.session },
  );
  if (changed.modifiedCount !== 1) throw new AppError('CONFLICT');
  // The newest switch counts: SCIM, which sets it after this, activates only what it deactivated last.
  await gateway.models.ScimAccount.updateOne({ _id: user._id }, { $set: { off: false } }, { session: tx.session });
  const ended = await endAccess(gateway, user._id, 'deactivated', tx.session);
  if (!active) await endGrounds(gateway, tx, user._id);
  tx.record({ type: active ? 'user.activate' : 'user.deactivate', record: user._id, reason });
  return ended;
}

import { touch } from '@lightbox/core/access/hold.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';
import { endSessions } from './sessions.js';

/**
 * Ends, as part of a transaction, all access to an account and everything that was begun under it: sessions, sign-ins
 * that wait for their code, reset codes, the set-up of an app, subscriptions to notifications. Passkey ceremonies are
 * bound to their session and end with it. `except` is the session that continues. Returns the ended sessions: call
 * `cutSockets` with them after the commit.
 */
export async function endAccess(
  core: Core,
  user: ObjectId,
  reason: string,
  tx: ClientSession,
  { except }: { except?: ObjectId } = {},
): Promise<ObjectId[]> {
  const { Code, PushSubscription, Totp, User } = core.models;
  const now = core.clock.now();
  const options = { session: tx };
  // `endAccess` and `beginAccess` both write the account, so that concurrent transactions conflict and one sees the
  // other.
  await User.updateOne({ _id: user }, { $set: { accessEndedAt: now } }, options);
  // The link "this was not me" of a mail must still work after the access has ended.
  const open = { user, purpose: { $ne: 'notMe' as const }, usedAt: { $exists: false } };
  await Code.updateMany(open, { $set: { usedAt: now } }, options);
  await Totp.updateOne({ _id: user, confirmedAt: { $exists: false } }, { $unset: { secret: 1 } }, options);
  const others = except ? { $ne: except } : { $exists: true };
  await PushSubscription.deleteMany({ user, session: others }, options);
  return endSessions(core, { user, _id: others }, reason, tx);
}

/**
 * Marks the begin of a sign-in, as part of a transaction. Returns false when the access was ended or the password
 * changed since `user` was read: the proof is out of date then.
 */
export async function beginAccess(core: Core, user: UserDoc, tx: ClientSession): Promise<boolean> {
  const { _id, passwordHash, accessEndedAt } = user;
  const begun = await core.models.User.updateOne(
    { _id, passwordHash, accessEndedAt: accessEndedAt ?? { $exists: false } },
    touch,
    { session: tx },
  );
  return begun.matchedCount === 1;
}

import { touch } from '@lightbox/core/access/hold.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';
import { endSessions } from './sessions.js';

/**
 * Ends, as part of a transaction, all access to an account and everything that was begun under it: sessions, sign-ins that
 * wait for their code, reset codes, the set-up of an app, subscriptions to notifications. Passkey ceremonies are bound to
 * their session and end with it. `except` is the session that goes on. `cutSockets` tells the gateways after the commit.
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
  // Every ending and every beginning writes the account: of two at once, one sees the other (`beginAccess`).
  await User.updateOne({ _id: user }, { $set: { accessEndedAt: now } }, options);
  // The link of a mail that says "this was not me" is there for what happens after it.
  const open = { user, purpose: { $ne: 'notMe' as const }, usedAt: { $exists: false } };
  await Code.updateMany(open, { $set: { usedAt: now } }, options);
  await Totp.updateOne({ _id: user, confirmedAt: { $exists: false } }, { $unset: { secret: 1 } }, options);
  const others = except ? { $ne: except } : { $exists: true };
  await PushSubscription.deleteMany({ user, session: others }, options);
  return endSessions(core, { user, _id: others }, reason, tx);
}

/**
 * Writes, as part of a transaction, that somebody begins to sign in. False when the account's access was ended, or its
 * password changed, since `user` was read: what was proven then proves nothing now.
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

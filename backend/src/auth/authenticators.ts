import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { ClientSession } from 'mongoose';

/** Removes the app of an account, as part of a transaction. */
export async function dropApp(core: Core, user: ObjectId, tx: ClientSession): Promise<void> {
  const { Totp, User } = core.models;
  await Totp.updateOne({ _id: user }, { $unset: { secret: 1, confirmedAt: 1 } }, { session: tx });
  await User.updateOne({ _id: user }, { $unset: { totpAt: 1 } }, { session: tx });
  await clearUnused(core, user, tx);
}

/**
 * Removes one passkey of an account, as part of a transaction. Returns false when the account has none with this id.
 */
export async function dropPasskey(core: Core, user: ObjectId, passkey: ObjectId, tx: ClientSession): Promise<boolean> {
  const { deletedCount } = await core.models.Passkey.deleteOne({ _id: passkey, user }, { session: tx });
  await clearUnused(core, user, tx);
  return deletedCount === 1;
}

/** Removes the app, all passkeys and the recovery codes. */
export async function dropAuthenticators(core: Core, user: ObjectId, tx: ClientSession): Promise<void> {
  await core.models.Passkey.deleteMany({ user }, { session: tx });
  await dropApp(core, user, tx);
}

/** Clears `passkeyAt` after the last passkey, and deletes the recovery codes after the last authenticator. */
async function clearUnused(core: Core, user: ObjectId, tx: ClientSession): Promise<void> {
  const { Passkey, Totp, User } = core.models;
  if (await Passkey.exists({ user }).session(tx)) return;
  await User.updateOne({ _id: user }, { $unset: { passkeyAt: 1 } }, { session: tx });
  await Totp.deleteOne({ _id: user, confirmedAt: { $exists: false } }, { session: tx });
}

import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { ClientSession } from 'mongoose';

/** Takes the app off an account, as part of a transaction. */
export async function dropApp(core: Core, user: ObjectId, tx: ClientSession): Promise<void> {
  const { Totp, User } = core.models;
  await Totp.updateOne({ _id: user }, { $unset: { secret: 1, confirmedAt: 1 } }, { session: tx });
  await User.updateOne({ _id: user }, { $unset: { totpAt: 1 } }, { session: tx });
  await settle(core, user, tx);
}

/** Takes one passkey off an account, as part of a transaction; false when there is no such one. */
export async function dropPasskey(core: Core, user: ObjectId, passkey: ObjectId, tx: ClientSession): Promise<boolean> {
  const { deletedCount } = await core.models.Passkey.deleteOne({ _id: passkey, user }, { session: tx });
  await settle(core, user, tx);
  return deletedCount === 1;
}

/** The app, every passkey and the recovery codes. */
export async function dropAuthenticators(core: Core, user: ObjectId, tx: ClientSession): Promise<void> {
  await core.models.Passkey.deleteMany({ user }, { session: tx });
  await dropApp(core, user, tx);
}

/** After the last passkey the account has none, and after the last authenticator there is nothing to recover. */
async function settle(core: Core, user: ObjectId, tx: ClientSession): Promise<void> {
  const { Passkey, Totp, User } = core.models;
  if (await Passkey.exists({ user }).session(tx)) return;
  await User.updateOne({ _id: user }, { $unset: { passkeyAt: 1 } }, { session: tx });
  await Totp.deleteOne({ _id: user, confirmedAt: { $exists: false } }, { session: tx });
}

import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { fieldError } from '@lightbox/core/errors.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { UserDoc, UsernameHoldDoc } from '@lightbox/core/models/types.js';
import { plain } from '@lightbox/core/text.js';
import type { ClientSession } from 'mongoose';

export const usernameTaken = () => fieldError('username', 'This username is taken.');

/** The address as a keyed hash, by the current key and by those before it. */
const hashesOf = (core: Core, email: string) =>
  core.keys.codes.all.map(({ key }) => hmac(key, 'address', email).toString('base64url'));

/**
 * Keeps a username that was registered with an address that has an account already: no account comes of it, but were the
 * username free afterwards, that would tell. Throws when another address holds it.
 */
export async function holdUsername(core: Core, user: UserDoc, tx: ClientSession): Promise<void> {
  // The owner's own username, tried again: it is taken as it is.
  if (await core.models.User.exists({ usernameKey: user.usernameKey }).session(tx)) return;
  const expiresAt = new Date(core.clock.now().getTime() + limits.usernameHoldDays * 86_400_000);
  const hashes = hashesOf(core, user.email);
  await core.models.UsernameHold.updateOne(
    { _id: user.usernameKey, address: { $in: hashes } },
    { $set: { address: hashes[0], expiresAt } },
    { upsert: true, session: tx },
  );
}

/** Throws while somebody else's registration holds this username. */
export async function refuseHeldUsername(core: Core, username: string, email: string): Promise<void> {
  const hold = await core.models.UsernameHold.findById(plain(username)).lean<UsernameHoldDoc>();
  if (!hold || hold.expiresAt <= core.clock.now()) return;
  if (!hashesOf(core, email).includes(hold.address)) throw usernameTaken();
}

import { limits } from '@lightbox/contract/limits.js';
import { plain } from '@lightbox/contract/plain.js';
import type { Core } from '@lightbox/core/core.js';
import { fieldError } from '@lightbox/core/errors.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';

export const takenUsername = { field: 'username', message: 'This username is taken.' };
export const usernameTaken = () => fieldError(takenUsername.field, takenUsername.message);

/**
 * Holds a username of a registration with an address that already has an account. No account is made, but a free
 * username would reveal that. A duplicate key means that a concurrent registration has just taken it.
 */
export async function holdUsername(core: Core, { usernameKey }: UserDoc, tx: ClientSession): Promise<void> {
  const { User, UsernameHold } = core.models;
  const now = core.clock.now();
  if (await User.exists({ usernameKey }).session(tx)) return;
  await UsernameHold.deleteOne({ _id: usernameKey, expiresAt: { $lte: now } }, { session: tx });
  if (await UsernameHold.exists({ _id: usernameKey }).session(tx)) return;
  const expiresAt = new Date(now.getTime() + limits.decoyDays * 86_400_000);
  await UsernameHold.create([{ _id: usernameKey, expiresAt }], { session: tx });
}

export async function isHeld(core: Core, username: string): Promise<boolean> {
  const held = await core.models.UsernameHold.exists({ _id: plain(username), expiresAt: { $gt: core.clock.now() } });
  return held !== null;
}

import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import { digestOf } from '@lightbox/core/keys/password.js';
import type { DecoyDoc } from '@lightbox/core/models/decoy.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';

/*
 * An address that has an account and one that has none must look alike after a registration too. So a registration of
 * the first kind leaves a decoy: whoever signs in with its password is answered as the owner of a new account would be.
 * No code is ever mailed for it, and none confirms it.
 */

/** The ids that a decoy of this address and password may have: by the current key, and by those before it. */
export async function decoyIds(core: Core, email: string, password: string): Promise<string[]> {
  const digest = await digestOf(password, email);
  return core.keys.codes.all.map(({ key }) => hmac(key, 'decoy', email, digest).toString('base64url'));
}

/** Of two registrations with the same address and password the first one stays, as an account would. */
export async function keepDecoy(core: Core, id: string, shown: UserDoc, tx: ClientSession): Promise<void> {
  const { _id: user, username, usernameKey, firstname = '', lastname = '', role, createAt } = shown;
  const expiresAt = new Date(core.clock.now().getTime() + limits.decoyDays * 86_400_000);
  await core.models.Decoy.updateOne(
    { _id: id },
    { $setOnInsert: { user, username, usernameKey, firstname, lastname, role, createAt, expiresAt } },
    { upsert: true, session: tx },
  );
}

export async function findDecoy(core: Core, ids: string[]): Promise<DecoyDoc | null> {
  return core.models.Decoy.findOne({ _id: { $in: ids }, expiresAt: { $gt: core.clock.now() } }).lean<DecoyDoc>();
}

/** The account that a decoy stands for, which is not there. */
export const asUser = ({ user, expiresAt: _, _id, ...shown }: DecoyDoc, email: string): UserDoc => ({
  ...shown,
  _id: user,
  email,
  passwordHash: '',
  status: statusOf(shown.role),
  active: true,
  words: [],
  sortKey: '',
});

/** What a registration begins as. */
export const statusOf = (role: UserDoc['role']): UserDoc['status'] => (role === 'patient' ? 'unverified' : 'pending');

import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import { digestOf } from '@lightbox/core/keys/password.js';
import type { DecoyDoc } from '@lightbox/core/models/decoy.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { DAY_MS } from '@lightbox/core/times.js';
import type { ClientSession } from 'mongoose';

/*
 * After a registration too, an address with an account must look like one without. So a registration with an address
 * that has an account leaves a decoy: a sign-in with its password is answered as for a new account. No code is ever
 * mailed for it, and none confirms it.
 */

/**
 * Returns the ids that a decoy of this address and password can have: one for the current key, one for each older key.
 */
export async function decoyIds(core: Core, email: string, password: string): Promise<string[]> {
  const digest = await digestOf(password, email);
  return core.keys.codes.all.map(({ key }) => hmac(key, 'decoy', email, digest).toString('base64url'));
}

/** Stores a decoy. Of two registrations with the same address and password the first one stays, as with an account. */
export async function keepDecoy(core: Core, id: string, shown: UserDoc, tx: ClientSession): Promise<void> {
  const { _id: user, username, usernameKey, firstname = '', lastname = '', role, createAt } = shown;
  const expiresAt = new Date(core.clock.now().getTime() + limits.decoyDays * DAY_MS);
  await core.models.Decoy.updateOne(
    { _id: id },
    { $setOnInsert: { user, username, usernameKey, firstname, lastname, role, createAt, expiresAt } },
    { upsert: true, session: tx },
  );
}

export async function findDecoy(core: Core, ids: string[]): Promise<DecoyDoc | null> {
  return core.models.Decoy.findOne({ _id: { $in: ids }, expiresAt: { $gt: core.clock.now() } }).lean<DecoyDoc>();
}

/** Returns the account that a decoy pretends to be. */
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

/** Returns the status of a new account. */
export const statusOf = (role: UserDoc['role']): UserDoc['status'] => (role === 'patient' ? 'unverified' : 'pending');

import { limits } from '@lightbox/contract/limits.js';
import type { Keys } from '../keys/keyring.js';
import { hmac } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { Id } from '../models/fields.js';
import type { InviteDoc } from '../models/invite.js';
import type { SealedValue } from '../models/sealedValue.js';
import { DAY_MS } from '../times.js';

/*
 * The address of an invitation is sealed. A keyed hash finds the invitations of an address: without a key of the ring,
 * nobody can test addresses against it.
 */

const hashWith = (key: Buffer, email: string) => hmac(key, 'invite', email).toString('base64url');

export const addressHash = (keys: Keys, email: string): string => hashWith(keys.sharing.current.key, email);

/** Returns a filter for the invitations of an address, also of those that an older key has hashed. */
export const invitesOf = (keys: Keys, email: string) => ({
  addressHash: { $in: keys.sharing.all.map(({ key }) => hashWith(key, email)) },
});

const contextOf = (invite: Id) => `invite/${invite}`;

export const sealAddress = (keys: Keys, invite: Id, email: string): SealedValue =>
  sealValue(keys.sharing, contextOf(invite), Buffer.from(email));

export const openAddress = (keys: Keys, { _id, address }: Pick<InviteDoc, '_id' | 'address'>): string =>
  openValue(keys.sharing, contextOf(_id), address).toString();

/** Returns the end of an invitation that is mailed now. */
export const inviteEnd = (now: Date): Date => new Date(now.getTime() + limits.invitationDays * DAY_MS);

/** Invitations that wait, as a filter. */
export const waitingInvite = (now: Date) => ({ expiresAt: { $gt: now } });

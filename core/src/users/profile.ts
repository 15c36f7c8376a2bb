import { type ProfileField, profileFields } from '@lightbox/contract/users/schemas.js';
import type { ObjectId } from '../db/ids.js';
import { unlessDamaged } from '../errors.js';
import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { SealedValue } from '../models/sealedValue.js';
import type { Person, Profile, UserDoc } from '../models/user.js';
import type { Logger } from '../process/log.js';

const inClear: readonly string[] = ['firstname', 'lastname'] satisfies ProfileField[];

/**
 * The fields that are sealed. People are found and listed by their names; nothing searches or sorts by these fields.
 */
export const sealedFields = Object.keys(profileFields).filter((field) => !inClear.includes(field)) as (keyof Profile)[];

/** Removes the unsealed fields of an account from before profiles were sealed. */
export const unsetClear = Object.fromEntries(sealedFields.map((field) => [field, 1]));

/** Returns the fields to seal from a record; an empty one counts as none. */
export const profileOf = (fields: { [F in keyof Profile]?: string | undefined }): Profile =>
  Object.fromEntries(sealedFields.filter((field) => fields[field]).map((field) => [field, fields[field]]));

/**
 * Seals all fields as one value, bound to the account: it opens for no other account, and no field can be changed
 * alone.
 */
export const sealProfile = (keys: Keys, user: ObjectId, profile: Profile): SealedValue =>
  sealValue(keys.profiles, contextOf(user), Buffer.from(JSON.stringify(profile)));

const contextOf = (user: ObjectId) => `profile/${user}`;

/** Returns a new account in its stored form. */
export function sealPerson(keys: Keys, person: Person): UserDoc {
  const rest = { ...person };
  for (const field of sealedFields) delete rest[field];
  return { ...rest, profile: sealProfile(keys, person._id, profileOf(person)) };
}

/**
 * Returns the profile of an account. Throws `IntegrityError` when it is not the value that was sealed. Unsealed fields
 * come from a database from before profiles were sealed, or from a process of that version during an upgrade. In both
 * cases they are the newer ones, until a change of the account or of the key seals them too.
 */
export function openProfile(keys: Keys, user: UserDoc): Profile {
  const sealed = user.profile
    ? (JSON.parse(openValue(keys.profiles, contextOf(user._id), user.profile).toString()) as Profile)
    : {};
  return { ...sealed, ...profileOf(user as Person) };
}

export const openPerson = (keys: Keys, user: UserDoc): Person => ({ ...user, ...openProfile(keys, user) });

/** For answers about more than the profile: a damaged profile is logged and left out, everything else is shown. */
export function openPersonIfWhole({ keys, log }: { keys: Keys; log: Logger }, user: UserDoc): Person {
  return unlessDamaged(log, () => openPerson(keys, user)) ?? user;
}

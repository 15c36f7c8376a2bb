import { type ProfileField, profileFields } from '@lightbox/contract/users/schemas.js';
import type { ObjectId } from '../db/ids.js';
import { unlessDamaged } from '../errors.js';
import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { SealedValue } from '../models/sealedValue.js';
import type { Person, Profile, UserDoc } from '../models/user.js';
import type { Logger } from '../process/log.js';

const inClear: readonly string[] = ['firstname', 'lastname'] satisfies ProfileField[];

/** People are found and listed by their names; nothing searches or sorts by these. */
export const sealedFields = Object.keys(profileFields).filter((field) => !inClear.includes(field)) as (keyof Profile)[];

/** Takes the fields in clear out of an account from before they were sealed. */
export const unsetClear = Object.fromEntries(sealedFields.map((field) => [field, 1]));

/** The sealed fields among others; an empty one counts as none. */
export const profileOf = (fields: { [F in keyof Profile]?: string | undefined }): Profile =>
  Object.fromEntries(sealedFields.filter((field) => fields[field]).map((field) => [field, fields[field]]));

/** One value for all fields, bound to the account: it opens in no other one, and none of it can be changed apart. */
export const sealProfile = (keys: Keys, user: ObjectId, profile: Profile): SealedValue =>
  sealValue(keys.profiles, contextOf(user), Buffer.from(JSON.stringify(profile)));

const contextOf = (user: ObjectId) => `profile/${user}`;

/** A new account as it is stored. */
export function sealPerson(keys: Keys, person: Person): UserDoc {
  const rest = { ...person };
  for (const field of sealedFields) delete rest[field];
  return { ...rest, profile: sealProfile(keys, person._id, profileOf(person)) };
}

/**
 * What an account says about itself. Throws `IntegrityError` when it is not what was sealed. Fields in clear are of a database
 * from before they were sealed, or were written by a process of that version while this one was rolled out: either way
 * they are the newer ones, until the account or a key changes and they are sealed too.
 */
export function openProfile(keys: Keys, user: UserDoc): Profile {
  const sealed = user.profile
    ? (JSON.parse(openValue(keys.profiles, contextOf(user._id), user.profile).toString()) as Profile)
    : {};
  return { ...sealed, ...profileOf(user as Person) };
}

export const openPerson = (keys: Keys, user: UserDoc): Person => ({ ...user, ...openProfile(keys, user) });

/** For answers about more than the profile: one that is damaged is told to the log and left out, all else is shown. */
export function openPersonIfWhole({ keys, log }: { keys: Keys; log: Logger }, user: UserDoc): Person {
  return unlessDamaged(log, () => openPerson(keys, user)) ?? user;
}

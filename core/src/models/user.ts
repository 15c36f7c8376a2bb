import type { Role } from '@lightbox/contract/permissions.js';
import type { ProfileField, UserStatus } from '@lightbox/contract/users/schemas.js';
import { bool, date, type Id, id, part, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** `touched`, of accounts, sessions and images: raised by transactions that rely on them (`access/hold.ts`). */
export interface UserDoc {
  _id: Id;
  email: string;
  username: string;
  /** The username in lower case: unique whatever the case. */
  usernameKey: string;
  passwordHash: string;
  role: Role;
  status: UserStatus;
  /** The administrators' switch. */
  active: boolean;
  rejectedReason?: string;
  /** Case- and accent-blind words for prefix search. */
  words: string[];
  /** Case-blind `lastname firstname`, the order of lists. */
  sortKey: string;
  createAt: Date;
  deletedAt?: Date;
  /** Who closed it and when, as long as its images and shares are still to be passed on (`users/closing.ts`). */
  closing?: Closing;
  touched?: number;
  /** Since when the account signs in with an authenticator app; absent while it does not. */
  totpAt?: Date;
  /** Since when the account has a passkey; absent while it has none. */
  passkeyAt?: Date;
  /** The account as passkeys know it: random, and the same for all of them. */
  passkeyHandle?: string;
  /** When the password was last changed. */
  passwordAt?: Date;
  /** When all access to the account was last ended (`auth/endAccess.ts`). */
  accessEndedAt?: Date;
  firstname?: string;
  lastname?: string;
  /** All else that people say about themselves (`users/profile.ts`). Absent only in databases from before it was sealed. */
  profile?: SealedValue;
}

/** What is sealed of an account: dates of birth, addresses, numbers and everything about health. */
export type Profile = { [F in Exclude<ProfileField, 'firstname' | 'lastname'>]?: string };

/** An account with its profile opened. */
export type Person = UserDoc & Profile;

interface Closing {
  at: Date;
  by: Id;
}

export const user = schemaOf<UserDoc>({
  email: string,
  username: string,
  usernameKey: string,
  passwordHash: string,
  role: string,
  status: string,
  active: bool,
  rejectedReason: String,
  firstname: String,
  lastname: String,
  profile: sealedValue,
  words: { type: [String], required: true },
  sortKey: { type: String, default: '' },
  createAt: date,
  deletedAt: Date,
  closing: part<Closing>({ at: date, by: id }),
  touched: Number,
  totpAt: Date,
  passkeyAt: Date,
  passkeyHandle: String,
  passwordAt: Date,
  accessEndedAt: Date,
})
  .index({ email: 1 }, { unique: true })
  .index({ usernameKey: 1 }, { unique: true })
  // The orders of the list, each behind all that it is narrowed by (`listUsers.ts`).
  .index({ role: 1, status: 1, active: 1, sortKey: 1, _id: 1 })
  .index({ status: 1, role: 1, active: 1, sortKey: 1, _id: 1 })
  .index({ active: 1, role: 1, status: 1, sortKey: 1, _id: 1 })
  .index({ role: 1, status: 1, active: 1, email: 1 })
  .index({ role: 1, status: 1, active: 1, createAt: 1, _id: 1 })
  .index({ words: 1 })
  // What an older key has sealed, and what none has yet.
  .index({ 'profile.keyId': 1 })
  .index({ 'closing.at': 1 }, { sparse: true });

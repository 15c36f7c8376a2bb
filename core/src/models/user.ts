import type { Consents } from '@lightbox/contract/consents/calls.js';
import type { LanguageCode } from '@lightbox/contract/languages.js';
import type { StoredNoticeSettings } from '@lightbox/contract/notifications/choices.js';
import type { Role } from '@lightbox/contract/permissions.js';
import type { ProfileField, UserStatus } from '@lightbox/contract/users/schemas.js';
import { bool, date, type Id, id, Mixed, ObjectId, part, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** `touched`, also of sessions and images, is raised by transactions that rely on the record (`access/hold.ts`). */
export interface UserDoc {
  _id: Id;
  email: string;
  username: string;
  /** The username in lower case, which is unique. */
  usernameKey: string;
  /** Empty: no password opens the account. */
  passwordHash: string;
  role: Role;
  status: UserStatus;
  /** The administrators' switch. */
  active: boolean;
  rejectedReason?: string;
  /** Time of the last approval; it may be taken back for a short time. */
  approvedAt?: Date;
  /** Words for prefix search, without case and accents. */
  words: string[];
  /** `lastname firstname` without case: the order of lists. */
  sortKey: string;
  createAt: Date;
  deletedAt?: Date;
  /**
   * Set until the images and shares of a closed account are passed on: when it was closed, and by whom
   * (`users/closing.ts`).
   */
  closing?: Closing;
  touched?: number;
  /** Time since which the account signs in with an authenticator app; absent without one. */
  totpAt?: Date;
  /** Time since which the account has a passkey; absent without one. */
  passkeyAt?: Date;
  /** The id of the account for passkeys: random, and the same for all of them. */
  passkeyHandle?: string;
  /** Time of the last change of the password. */
  passwordAt?: Date;
  /** Time when all access to the account was last ended (`auth/endAccess.ts`). */
  accessEndedAt?: Date;
  /**
   * Set while invitations of the address wait that its proof did not accept yet, because they were many: the last one that
   * was looked at. Sign-ins and new tokens accept the next ones.
   */
  invitesAfter?: Id;
  /** The language of mails and device notifications. Absent: English. */
  language?: LanguageCode;
  /** False when the person has turned read receipts off (`messageRules.seesReading`). */
  readReceipts?: boolean;
  /** The IANA time zone of quiet hours, of the digest, and of times in mails. Absent: that of the server. */
  timeZone?: string;
  /** How the person wants to be notified. Absent: `defaultNoticeSettings`. */
  notices?: StoredNoticeSettings;
  /** The consents of a patient. Absent: not answered. `askedAt`: when the app last asked. */
  consents?: UserConsents;
  /** Time of the next digest; absent without one. */
  nextDigestAt?: Date;
  /** The photo that is shown (`Photo`). */
  photo?: Id;
  firstname?: string;
  lastname?: string;
  /**
   * All other fields that people fill in about themselves (`users/profile.ts`). Absent only in databases from before
   * they were sealed.
   */
  profile?: SealedValue;
}

/** The sealed fields of an account: dates of birth, addresses, numbers and everything about health. */
export type Profile = { [F in Exclude<ProfileField, 'firstname' | 'lastname'>]?: string };

/** An account with its profile opened. */
export type Person = UserDoc & Profile;

interface Closing {
  at: Date;
  by: Id;
}

interface UserConsents {
  analysis?: Consents['analysis'];
  askedAt?: Date;
}

/** Finds people by a word, and counts them without reading an account (`listQuery.ts`). */
export const bySearch = { words: 1, role: 1, status: 1, active: 1, _id: 1 } as const;

export const user = schemaOf<UserDoc>({
  email: string,
  username: string,
  usernameKey: string,
  passwordHash: { type: String, default: '' },
  role: string,
  status: string,
  active: bool,
  rejectedReason: String,
  approvedAt: Date,
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
  invitesAfter: ObjectId,
  language: String,
  readReceipts: Boolean,
  timeZone: String,
  notices: Mixed,
  consents: part<UserConsents>({ analysis: String, askedAt: Date }),
  nextDigestAt: Date,
  photo: ObjectId,
})
  .index({ email: 1 }, { unique: true })
  .index({ usernameKey: 1 }, { unique: true })
  // The orders of the list, each after the fields by which the list is filtered (`listUsers.ts`).
  .index({ role: 1, status: 1, active: 1, sortKey: 1, _id: 1 })
  .index({ status: 1, role: 1, active: 1, sortKey: 1, _id: 1 })
  .index({ active: 1, role: 1, status: 1, sortKey: 1, _id: 1 })
  .index({ role: 1, status: 1, active: 1, email: 1 })
  .index({ role: 1, status: 1, active: 1, createAt: 1, _id: 1 })
  .index(bySearch)
  // Finds profiles that an older key sealed, and profiles that are not sealed yet.
  .index({ 'profile.keyId': 1 })
  .index({ 'closing.at': 1 }, { sparse: true })
  .index({ nextDigestAt: 1 }, { sparse: true });

import { limits } from '@lightbox/contract/limits.js';
import type { CodeSeed } from '../keys/codes.js';
import { codeSeed } from './code.js';
import { bool, date, days, type Id, id, number, ObjectId, schemaOf } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/**
 * A link for somebody without an account. Its address and its code are derived from the seed with the key ring, and
 * stored nowhere. Address and note are sealed under the same ring: with its key the whole link ends.
 */
export interface GuestLinkDoc extends CodeSeed {
  _id: Id;
  /** The image; for the link of a study the image that stood for it. */
  image: Id;
  /** Present when the link is of a study. It covers every image of the study, also later ones. */
  study?: Id;
  madeBy: Id;
  createAt: Date;
  expiresAt: Date;
  maxOpens: number;
  opensLeft: number;
  /** Wrong codes since the last right one. */
  tries: number;
  /** True when the guest may take the original file. */
  download: boolean;
  /** The address to which the link was mailed. */
  email?: SealedValue;
  note?: SealedValue;
  /** True when the link was mailed to the address. */
  mailed: boolean;
  live: boolean;
  endedAt?: Date;
}

export const guestLink = schemaOf<GuestLinkDoc>({
  ...codeSeed,
  image: id,
  study: ObjectId,
  madeBy: id,
  createAt: date,
  expiresAt: date,
  maxOpens: number,
  opensLeft: number,
  tries: number,
  download: bool,
  email: sealedValue,
  note: sealedValue,
  mailed: bool,
  live: bool,
  endedAt: Date,
})
  .index({ image: 1, live: 1 })
  .index({ study: 1, live: 1 }, { partialFilterExpression: { study: { $exists: true } } })
  .index({ madeBy: 1, live: 1 })
  .index({ live: 1, expiresAt: 1 })
  .index({ endedAt: 1 }, { expireAfterSeconds: days(limits.guestKeptDays) });

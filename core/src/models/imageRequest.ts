import { limits } from '@lightbox/contract/limits.js';
import type { RequestKind } from '@lightbox/contract/requests/calls.js';
import type { RequestState } from '@lightbox/contract/requests/states.js';
import type { CodeSeed } from '../keys/codes.js';
import { codeSeed } from './code.js';
import { bool, date, days, type Id, id, number, ObjectId, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/**
 * A request for images to somebody who may have no account. Its address is derived from the seed with the key ring, and
 * stored nowhere. Address and note are sealed under the same ring.
 */
export interface ImageRequestDoc extends CodeSeed {
  _id: Id;
  /** The person who asked. They own the files from their arrival. */
  by: Id;
  kind: RequestKind;
  /** A waiting request past `expiresAt` has ended (`requestState`). */
  state: RequestState;
  createAt: Date;
  expiresAt: Date;
  /** The patient whom the images will name, unless the person who asked chooses another. */
  patient?: Id;
  email?: SealedValue;
  note?: SealedValue;
  /** True when the link was mailed to the address. */
  mailed: boolean;
  /** Files and bytes that have arrived or are under way; once everything was sent, those that have arrived. */
  files: number;
  bytes: number;
  /** The study of the pictures and documents of a folder. */
  pictures?: Id;
  receivedAt?: Date;
  endedAt?: Date;
  /** True while files of an ended request may be there, which maintenance removes. */
  leftovers?: boolean;
  touched?: number;
}

export const imageRequest = schemaOf<ImageRequestDoc>({
  ...codeSeed,
  by: id,
  kind: string,
  state: string,
  createAt: date,
  expiresAt: date,
  patient: ObjectId,
  email: sealedValue,
  note: sealedValue,
  mailed: bool,
  files: number,
  bytes: number,
  pictures: ObjectId,
  receivedAt: Date,
  endedAt: Date,
  leftovers: Boolean,
  touched: Number,
})
  .index({ by: 1, createAt: -1, _id: -1 })
  .index({ by: 1, state: 1 })
  .index({ state: 1, expiresAt: 1 })
  .index({ state: 1, receivedAt: 1 })
  .index({ leftovers: 1 }, { sparse: true })
  .index({ endedAt: 1 }, { expireAfterSeconds: days(limits.guestKeptDays) });

import { limits } from '@lightbox/contract/limits.js';
import type { CodeSeed } from '../keys/codes.js';
import { codeSeed } from './code.js';
import { bool, date, type Id, id, number, ObjectId, part, schemaOf } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

export interface DatesOf {
  owner: Id;
  patient?: Id;
}

export interface ShareDoc extends CodeSeed {
  _id: Id;
  /** The image; for the share of a study the image that stands for it now. */
  image: Id;
  /** Present when the share is of a study. It covers every image of the study, also later ones. */
  study?: Id;
  sharedBy: Id;
  recipient: Id;
  createAt: Date;
  /** The act that made the share: shares of one act are mailed to each person together. Absent in older shares. */
  batch?: Id;
  /** The invitation that the share began as. */
  invite?: Id;
  /** The sharer's note to the recipient (`sharing/notes.ts`). */
  note?: SealedValue;
  /** False: the recipient sees the picture and cannot download the original. */
  download?: boolean;
  /** True: the recipient gets a copy without identity, and nothing of the original. */
  deidentified?: boolean;
  /**
   * The owner and the patient when a share of copies was made: the dates of its copies move by them. So they stay although
   * an upload names the patient later, or the owner changes. Absent in older shares.
   */
  datesOf?: DatesOf;
  /** Absent for the permanent share of the image's patient. */
  expiresAt?: Date;
  codeExpiresAt: Date;
  tries: number;
  verifiedAt?: Date;
  /** False once the share was revoked or has expired, or its image was deleted. */
  live: boolean;
  endedAt?: Date;
}

export const share = schemaOf<ShareDoc>({
  ...codeSeed,
  image: id,
  study: ObjectId,
  sharedBy: id,
  recipient: id,
  createAt: date,
  batch: ObjectId,
  invite: ObjectId,
  note: sealedValue,
  download: Boolean,
  deidentified: Boolean,
  datesOf: part<DatesOf>({ owner: id, patient: ObjectId }),
  expiresAt: Date,
  codeExpiresAt: date,
  tries: number,
  verifiedAt: Date,
  live: bool,
  endedAt: Date,
})
  // One live share of an image, and one of its study, for each person.
  .index({ image: 1, study: 1, recipient: 1 }, { unique: true, partialFilterExpression: { live: true } })
  .index({ image: 1, live: 1 })
  .index({ study: 1, live: 1 }, { partialFilterExpression: { study: { $exists: true } } })
  .index({ recipient: 1, live: 1 })
  // Covers the people with whom a person has shared, and the images that a person has opened, at any time.
  .index({ sharedBy: 1, recipient: 1 })
  .index({ recipient: 1, image: 1 }, { partialFilterExpression: { verifiedAt: { $exists: true } } })
  .index({ live: 1, expiresAt: 1 })
  // Finds the shares of one act.
  .index({ batch: 1, recipient: 1 }, { partialFilterExpression: { batch: { $exists: true } } })
  // Finds notes that an older key sealed.
  .index({ 'note.keyId': 1 }, { partialFilterExpression: { note: { $exists: true } } })
  // Contains the few locked shares, for administrators.
  .index({ tries: 1 }, { partialFilterExpression: { live: true, tries: { $gte: limits.codeTries } } });

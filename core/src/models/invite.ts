import type { CodeSeed } from '../keys/codes.js';
import { codeSeed } from './code.js';
import { date, type Id, id, number, ObjectId, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/**
 * An invitation to one image or study, for an address without an account. It is removed when its person registers, or
 * when it ends. The seed makes the token of the mailed link.
 */
export interface InviteDoc extends CodeSeed {
  _id: Id;
  /** The act that made the invitation. */
  batch: Id;
  /** Finds the invitations of an address (`sharing/invites.ts`). */
  addressHash: string;
  address: SealedValue;
  by: Id;
  /** The image; absent for the invitation to a study. */
  image?: Id;
  study?: Id;
  /** Hours that the share lasts, from the registration on. */
  hours: number;
  note?: SealedValue;
  download?: boolean;
  deidentified?: boolean;
  createAt: Date;
  /** The end of the invitation itself. */
  expiresAt: Date;
}

export const invite = schemaOf<InviteDoc>({
  ...codeSeed,
  batch: id,
  addressHash: string,
  address: { type: sealedValue, required: true },
  by: id,
  image: ObjectId,
  study: ObjectId,
  hours: number,
  note: sealedValue,
  download: Boolean,
  deidentified: Boolean,
  createAt: date,
  expiresAt: date,
})
  // One invitation of an address to an image, and one to a study.
  .index({ addressHash: 1, image: 1, study: 1 }, { unique: true })
  .index({ image: 1 })
  .index({ study: 1 })
  .index({ by: 1 })
  .index({ batch: 1 })
  .index({ expiresAt: 1 })
  .index({ 'address.keyId': 1 });

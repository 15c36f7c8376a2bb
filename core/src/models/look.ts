import type { LookAction } from '@lightbox/contract/audit/actions.js';
import { date, type Id, id, number, ObjectId, schemaOf, string } from './fields.js';

/**
 * A look that is in the audit log with one entry. The frames that are read in it are counted here; maintenance puts the
 * count into the log when the look is over.
 */
export interface LookDoc {
  /** The session, the record and the action, and the emergency access or the carer by which it is read. */
  _id: string;
  /** The person who reads; absent for a guest. */
  user?: Id;
  /** The token by which a program reads for this person. */
  token?: Id;
  /** The link of a guest who reads. */
  guestLink?: Id;
  /** The image or study. */
  record: Id;
  owner: Id;
  type: LookAction;
  /** The frames, or the ranges of the original, that were read. */
  reads: number;
  /** While images of the study are not drawn yet: the number of images in the entry. */
  incomplete?: number;
  until: Date;
}

export const look = schemaOf<LookDoc>({
  _id: String,
  user: ObjectId,
  token: ObjectId,
  guestLink: ObjectId,
  record: id,
  owner: id,
  type: string,
  reads: number,
  incomplete: Number,
  until: date,
}).index({ until: 1 });

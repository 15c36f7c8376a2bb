import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import { type PlainBlob, plainBlob } from './drawing.js';
import { bool, date, type Id, id, Mixed, ObjectId, schemaOf } from './fields.js';

/**
 * The wish for a copy of an image in which rectangles are black. A worker makes the bytes, and the gateway takes them in as
 * it takes an upload. The record is kept for a short time.
 */
export interface BlackOutDoc {
  /** `blackOutId`: the same for the same wish of the same person, so that a repetition finds the same copy. */
  _id: Id;
  /** The original. */
  image: Id;
  /** The id of the new image. */
  copyId: Id;
  /** The study of copies to which the copy will belong. Its UIDs and those of the other copies are made alike. */
  study?: Id;
  rectangles: BlackRectangle[];
  noTextLeft: boolean;
  /** The bytes of the copy. Its key is sealed with the data key of the original (`blackOutContext`). */
  made?: PlainBlob;
  /** The copy cannot be made. */
  failed?: boolean;
  createAt: Date;
}

export const blackOut = schemaOf<BlackOutDoc>({
  image: id,
  copyId: id,
  study: ObjectId,
  rectangles: { type: [Mixed], required: true },
  noTextLeft: bool,
  made: plainBlob,
  failed: Boolean,
  createAt: date,
})
  .index({ image: 1 })
  .index({ createAt: 1 }, { expireAfterSeconds: 10 * 60 });

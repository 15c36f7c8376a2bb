import { date, type Id, id, schemaOf } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** The photo of a person: the file as it was sent until a worker has drawn it, then a small square picture. */
export interface PhotoDoc {
  _id: Id;
  user: Id;
  /** The file that was sent. Absent once it is drawn, or cannot be drawn. */
  received?: SealedValue;
  /** WebP, with nothing of the file but its pixels. Absent until it is drawn. */
  picture?: SealedValue;
  createAt: Date;
}

export const photo = schemaOf<PhotoDoc>({
  user: id,
  received: sealedValue,
  picture: sealedValue,
  createAt: date,
})
  .index({ user: 1 })
  // Finds photos that an older key sealed.
  .index({ 'picture.keyId': 1 }, { partialFilterExpression: { picture: { $exists: true } } });

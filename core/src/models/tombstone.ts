import { date, type Id, schemaOf } from './fields.js';

/** A blob whose image was deleted, written with the deletion. It is removed after the last byte. */
export interface TombstoneDoc {
  /** The blob's id. */
  _id: Id;
  at: Date;
}

export const tombstone = schemaOf<TombstoneDoc>({ at: date }).index({ at: 1 });

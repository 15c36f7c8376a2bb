import { date, type Id, schemaOf } from './fields.js';

/** A blob whose image was deleted, written with the deletion, or that has no record. It is removed after the last byte. */
export interface TombstoneDoc {
  /** The blob's id. */
  _id: Id;
  at: Date;
  /** Maintenance found no record of it, and looks once more before it removes the bytes. */
  unowned?: true;
}

export const tombstone = schemaOf<TombstoneDoc>({ at: date, unowned: Boolean }).index({ at: 1 });

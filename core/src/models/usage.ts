import { date, type Id, number, schemaOf } from './fields.js';

/** What an account's images take; kept when they come and go, so that nobody has to count them. */
export interface UsageDoc {
  /** The owner. */
  _id: Id;
  files: number;
  bytes: number;
  /** When it was last counted. */
  at: Date;
}

export const usage = schemaOf<UsageDoc>({ files: number, bytes: number, at: date }).index({ at: 1 });

import { date, type Id, number, schemaOf } from './fields.js';

/** The number and bytes of an account's images. Updated with each of them, so that no request has to count them. */
export interface UsageDoc {
  /** The owner. */
  _id: Id;
  files: number;
  bytes: number;
  /** Time of the last full count. */
  at: Date;
  /** Time at which a file last took space. Absent in records of older versions. */
  takenAt?: Date;
}

export const usage = schemaOf<UsageDoc>({ files: number, bytes: number, at: date, takenAt: Date }).index({ at: 1 });

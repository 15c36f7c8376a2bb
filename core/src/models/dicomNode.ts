import { date, type Id, id, ObjectId, schemaOf, string } from './fields.js';

/** A device or archive that may send DICOM files to the receiver. Its files belong to an account. */
export interface DicomNodeDoc {
  _id: Id;
  /** AE title (PS3.8 §9.3.2), as the device names itself. */
  title: string;
  /** Addresses and CIDR ranges from which it may call. Empty: any. */
  addresses: string[];
  /** The owner of what it sends. */
  user: Id;
  /** The administrator who made it. */
  by: Id;
  createAt: Date;
  /** The last administrator who changed it, and when. */
  changedBy?: Id;
  changedAt?: Date;
  /** Time of its last association. */
  lastSeenAt?: Date;
  touched?: number;
}

export const dicomNode = schemaOf<DicomNodeDoc>({
  title: string,
  addresses: [String],
  user: id,
  by: id,
  createAt: date,
  changedBy: ObjectId,
  changedAt: Date,
  lastSeenAt: Date,
  touched: Number,
})
  .index({ title: 1 }, { unique: true })
  .index({ user: 1 });

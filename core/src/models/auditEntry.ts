import { type Recorded, recorded } from './event.js';
import { type Id, id, number, ObjectId, schemaOf, string } from './fields.js';

export interface AuditEntryDoc extends Recorded {
  _id: Id;
  seq: number;
  event: Id;
  keyId: string;
  hash: string;
  /**
   * Actor and owners: the people in whose log the entry appears. Not part of the hash, but derived from fields that
   * are.
   */
  concerns: Id[];
}

export const auditEntry = schemaOf<AuditEntryDoc>(
  { ...recorded, seq: number, event: id, keyId: string, hash: string, concerns: [ObjectId] },
  { collection: 'auditlogs' },
)
  .index({ seq: -1 }, { unique: true })
  .index({ event: 1 }, { unique: true })
  .index({ at: -1, seq: -1 })
  .index({ status: 1, at: -1, seq: -1 })
  .index({ actor: 1, status: 1, at: -1, seq: -1 })
  // A person's sign-ins among all their acts.
  .index({ actor: 1, type: 1, at: -1, seq: -1 })
  .index({ record: 1, at: -1, seq: -1 }, { partialFilterExpression: { record: { $exists: true } } })
  // An image's timeline.
  .index({ record: 1, seq: -1 }, { partialFilterExpression: { record: { $exists: true } } })
  // The downloads of own data that contain an image.
  .index({ records: 1, at: -1, seq: -1 }, { partialFilterExpression: { type: 'profile.exported' } })
  .index({ concerns: 1, status: 1, at: -1, seq: -1 })
  .index({ concerns: 1, type: 1, status: 1, at: -1, seq: -1 })
  // Also covers the counts per day.
  .index({ type: 1, status: 1, at: -1, seq: -1 });

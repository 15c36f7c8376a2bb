import { bool, date, type Id, id, ObjectId, schemaOf } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** A legal hold of a patient. The record stays after its end, because the log names the patient and not the reason. */
export interface LegalHoldDoc {
  _id: Id;
  patient: Id;
  by: Id;
  at: Date;
  reason: SealedValue;
  /** False once it was lifted. */
  live: boolean;
  liftedBy?: Id;
  liftedAt?: Date;
  liftReason?: SealedValue;
}

export const legalHold = schemaOf<LegalHoldDoc>({
  patient: id,
  by: id,
  at: date,
  reason: { type: sealedValue, required: true },
  live: bool,
  liftedBy: ObjectId,
  liftedAt: Date,
  liftReason: sealedValue,
})
  // One hold of a patient at a time.
  .index({ patient: 1 }, { unique: true, partialFilterExpression: { live: true } })
  .index({ patient: 1, _id: -1 })
  // Covers the list of held patients.
  .index({ live: 1, patient: 1 })
  .index({ 'reason.keyId': 1 });

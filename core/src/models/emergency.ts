import type { EmergencyReviewState } from '@lightbox/contract/emergencies/states.js';
import { bool, date, type Id, id, part, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** A text of the review, sealed. */
interface Said {
  by: Id;
  at: Date;
  text: SealedValue;
}

/** An emergency access: one provider opens the images of one patient for an hour. The record stays for the review. */
export interface EmergencyDoc {
  _id: Id;
  provider: Id;
  patient: Id;
  reason: SealedValue;
  from: Date;
  until: Date;
  /** False once the access was ended. */
  live: boolean;
  endedAt?: Date;
  state: EmergencyReviewState;
  /** True while it is the turn of the administrators: the state is `open` or `answered`. Lists begin with these. */
  waits: boolean;
  question?: Said;
  answer?: Said;
  approval?: Said;
}

const said = part<Said>({ by: id, at: date, text: { type: sealedValue, required: true } });

export const emergency = schemaOf<EmergencyDoc>({
  provider: id,
  patient: id,
  reason: { type: sealedValue, required: true },
  from: date,
  until: date,
  live: bool,
  endedAt: Date,
  state: string,
  waits: bool,
  question: said,
  answer: said,
  approval: said,
})
  // One live access of a provider to a patient.
  .index({ provider: 1, patient: 1 }, { unique: true, partialFilterExpression: { live: true } })
  .index({ live: 1, until: 1 })
  .index({ waits: -1, _id: -1 })
  .index({ provider: 1, waits: -1, _id: -1 })
  .index({ patient: 1, waits: -1, _id: -1 })
  .index({ 'reason.keyId': 1 });

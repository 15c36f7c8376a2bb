import type { CarerEnding, CarerState } from '@lightbox/contract/carers/states.js';
import { bool, date, type Id, id, ObjectId, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** A carer whom a patient named by e-mail address. */
export interface CarerDoc {
  _id: Id;
  patient: Id;
  /** The account with the named address. Absent when no active patient has it. */
  carer?: Id;
  /** The named address (`carers/sealed.ts`), until somebody answers or the record ends. */
  address?: SealedValue;
  state: CarerState;
  /** False once the state is `ended`. */
  live: boolean;
  createAt: Date;
  /** The end of the time to answer. */
  expiresAt: Date;
  acceptedAt?: Date;
  endedAt?: Date;
  ending?: CarerEnding;
}

export const carer = schemaOf<CarerDoc>({
  patient: id,
  carer: ObjectId,
  address: sealedValue,
  state: string,
  live: bool,
  createAt: date,
  expiresAt: date,
  acceptedAt: Date,
  endedAt: Date,
  ending: String,
})
  .index({ patient: 1, live: 1, _id: -1 })
  .index({ carer: 1, live: 1, _id: -1 })
  .index({ state: 1, expiresAt: 1 })
  // Finds addresses that an older key sealed.
  .index({ 'address.keyId': 1 }, { partialFilterExpression: { address: { $exists: true } } });

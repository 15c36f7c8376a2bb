import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { LegalHoldDoc } from '../models/legalHold.js';
import type { SealedValue } from '../models/sealedValue.js';

type Field = 'reason' | 'liftReason';

const contextOf = (id: LegalHoldDoc['_id'], field: Field) => `legalHold ${id} ${field}`;

export const sealHoldText = (keys: Keys, id: LegalHoldDoc['_id'], field: Field, text: string): SealedValue =>
  sealValue(keys.sharing, contextOf(id, field), Buffer.from(text));

export const openHoldText = (keys: Keys, id: LegalHoldDoc['_id'], field: Field, text: SealedValue): string =>
  openValue(keys.sharing, contextOf(id, field), text).toString();

/** Returns both texts of the record, sealed again with the current key, so that the key of its reason stands for both. */
export function sealHoldAgain(
  keys: Keys,
  { _id, reason, liftReason }: Pick<LegalHoldDoc, '_id' | 'reason' | 'liftReason'>,
): Pick<LegalHoldDoc, 'reason' | 'liftReason'> {
  const again = (field: Field, value: SealedValue) =>
    sealHoldText(keys, _id, field, openHoldText(keys, _id, field, value));
  return { reason: again('reason', reason), ...(liftReason ? { liftReason: again('liftReason', liftReason) } : {}) };
}

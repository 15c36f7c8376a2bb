import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { EmergencyDoc } from '../models/emergency.js';
import type { SealedValue } from '../models/sealedValue.js';

/** The texts of an emergency access. All of them are about a patient. */
const sealedTexts = ['reason', 'question', 'answer', 'approval'] as const;
type Field = (typeof sealedTexts)[number];

const contextOf = (id: EmergencyDoc['_id'], field: Field) => `emergency ${id} ${field}`;

export const sealText = (keys: Keys, id: EmergencyDoc['_id'], field: Field, text: string): SealedValue =>
  sealValue(keys.sharing, contextOf(id, field), Buffer.from(text));

export const openText = (keys: Keys, id: EmergencyDoc['_id'], field: Field, text: SealedValue): string =>
  openValue(keys.sharing, contextOf(id, field), text).toString();

/** Returns an update that seals all texts of the record again, with the current key. */
export function sealAgain(keys: Keys, doc: EmergencyDoc): Record<string, SealedValue> {
  const again = (field: Field, value: SealedValue) =>
    sealText(keys, doc._id, field, openText(keys, doc._id, field, value));
  return {
    reason: again('reason', doc.reason),
    ...(doc.question ? { 'question.text': again('question', doc.question.text) } : {}),
    ...(doc.answer ? { 'answer.text': again('answer', doc.answer.text) } : {}),
    ...(doc.approval ? { 'approval.text': again('approval', doc.approval.text) } : {}),
  };
}

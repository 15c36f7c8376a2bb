import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { Id } from '../models/fields.js';
import type { SealedValue } from '../models/sealedValue.js';

const contextOf = (record: Id) => `note/${record}`;

/** Seals the note of a share or an invitation, and binds it to that record. */
export const sealNote = (keys: Keys, record: Id, note: string): SealedValue =>
  sealValue(keys.sharing, contextOf(record), Buffer.from(note));

export const openNote = (keys: Keys, record: Id, note: SealedValue): string =>
  openValue(keys.sharing, contextOf(record), note).toString();

import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { CarerDoc } from '../models/carer.js';
import type { SealedValue } from '../models/sealedValue.js';

const contextOf = (id: CarerDoc['_id']) => `carer ${id}`;

export const sealAddress = (keys: Keys, id: CarerDoc['_id'], email: string): SealedValue =>
  sealValue(keys.sharing, contextOf(id), Buffer.from(email));

export const openAddress = (keys: Keys, id: CarerDoc['_id'], address: SealedValue): string =>
  openValue(keys.sharing, contextOf(id), address).toString();

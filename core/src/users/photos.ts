import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { PhotoDoc } from '../models/photo.js';
import type { SealedValue } from '../models/sealedValue.js';

/** The parts of a photo that are sealed: the file that was sent, and the picture that is shown. */
type Part = 'received' | 'picture';

const contextOf = (id: PhotoDoc['_id'], part: Part) => `photo ${id} ${part}`;

export const sealPhoto = (keys: Keys, id: PhotoDoc['_id'], part: Part, bytes: Buffer): SealedValue =>
  sealValue(keys.profiles, contextOf(id, part), bytes);

export const openPhoto = (keys: Keys, id: PhotoDoc['_id'], part: Part, value: SealedValue): Buffer =>
  openValue(keys.profiles, contextOf(id, part), value);

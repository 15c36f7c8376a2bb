import type { Keys } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { GuestLinkDoc } from '../models/guestLink.js';
import type { ImageRequestDoc } from '../models/imageRequest.js';
import type { SealedValue } from '../models/sealedValue.js';

/** The fields of a guest link or a request that are sealed, because they are about a person. */
type Field = 'email' | 'note';

const contextOf = (id: GuestLinkDoc['_id'], field: Field) => `guestLink ${id} ${field}`;
const ringOf = ({ codes }: Pick<Keys, 'codes'>) => codes.derive('guestLinks');

export const sealField = (keys: Keys, id: GuestLinkDoc['_id'], field: Field, text: string): SealedValue =>
  sealValue(ringOf(keys), contextOf(id, field), Buffer.from(text));

/** Returns the text; null when there is none, or when its key was retired. */
export function openField(
  keys: Keys,
  link: Pick<GuestLinkDoc | ImageRequestDoc, '_id' | Field>,
  field: Field,
): string | null {
  const value = link[field];
  if (!value || !ringOf(keys).find(value.keyId)) return null;
  return openValue(ringOf(keys), contextOf(link._id, field), value).toString();
}

import type { BlackOut } from '@lightbox/contract/images/blackOut.js';
import { type ObjectId, oid } from '../db/ids.js';
import type { KeyRing } from '../keys/keyring.js';
import { hmac } from '../keys/keyring.js';
import type { BlackOutDoc } from '../models/blackOut.js';

/**
 * Returns the id of a wish for a copy: the same for the same wish of the same person. `attempt` tells two studies of copies
 * apart that begin with the same wish.
 */
export function blackOutId(ring: KeyRing, image: ObjectId, by: ObjectId, wish: BlackOut, attempt = ''): ObjectId {
  const parts = [String(image), String(by), JSON.stringify(wish), wish.studyTitle ? attempt : ''];
  return oid(
    hmac(ring.current.key, 'black out', ...parts)
      .toString('hex')
      .slice(0, 24),
  );
}

/** Binds the sealed key of a copy to its original and its record. The data key of the original seals it. */
export const blackOutContext = ({ image, _id }: Pick<BlackOutDoc, 'image' | '_id'>): string =>
  `${image}:blackout:${_id}`;

import { unwrapDataKey } from '../blobs/cipher.js';
import type { Core } from '../core.js';
import { bufferOf } from '../db/bytes.js';
import { open, seal } from '../keys/seal.js';
import type { ImageDoc } from '../models/image.js';

const LENGTH = 200;
const context = (imageId: string) => `${imageId}:name`;

/** Seals the name of an image's file with the image's data key: it may name a person. */
export const sealName = ({ keys }: Core, { _id, dataKey }: Pick<ImageDoc, '_id' | 'dataKey'>, name: string): Buffer =>
  seal(unwrapDataKey(keys.images, String(_id), dataKey), context(String(_id)), Buffer.from(name.slice(0, LENGTH)));

/** Returns the name of an image's file, to order by; empty when none is stored or it is damaged. */
export function nameOf({ keys }: Core, { _id, dataKey, place }: Pick<ImageDoc, '_id' | 'dataKey' | 'place'>): string {
  if (!place?.name) return '';
  try {
    const key = unwrapDataKey(keys.images, String(_id), dataKey);
    return open(key, context(String(_id)), bufferOf(place.name)).toString();
  } catch {
    return '';
  }
}

import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import type { Core } from '@lightbox/core/core.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';

/** The whole file of an image, in clear. */
export async function readImage({ blobs, keys }: Core, image: ImageDoc): Promise<Buffer> {
  const key = unwrapDataKey(keys.images, String(image._id), image.dataKey);
  const pieces: Buffer[] = [];
  for await (const piece of blobs.read(image.blob, key, image.size)) pieces.push(piece);
  return Buffer.concat(pieces);
}

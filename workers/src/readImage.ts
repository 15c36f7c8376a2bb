import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import type { Core } from '@lightbox/core/core.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';

/** Returns the whole decrypted file of an image. */
export async function readImage({ blobs, keys }: Core, image: ImageDoc): Promise<Buffer> {
  const key = unwrapDataKey(keys.images, String(image._id), image.dataKey);
  const file = Buffer.allocUnsafeSlow(image.size);
  let at = 0;
  for await (const chunk of blobs.read(image.blob, key, image.size)) at += chunk.copy(file, at);
  return file.subarray(0, at);
}

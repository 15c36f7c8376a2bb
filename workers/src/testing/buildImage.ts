import { randomBytes } from 'node:crypto';
import { newDataKey } from '@lightbox/core/blobs/cipher.js';
import type { Core } from '@lightbox/core/core.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';

/** Stores an image with its bytes, without any job. */
export async function buildImage(core: Core, file: Buffer, changes: Partial<ImageDoc> = {}): Promise<ImageDoc> {
  const _id = changes._id ?? newId();
  const blob = newId();
  const { key, wrapped } = newDataKey(core.keys.images, String(_id));
  await core.blobs.write(
    blob,
    key,
    (async function* () {
      yield file;
    })(),
  );
  const image: ImageDoc = {
    _id,
    owner: newId(),
    caption: 'A hand',
    contentType: 'image/jpeg',
    size: file.length,
    sha256: randomBytes(32).toString('hex'),
    blob,
    dataKey: wrapped,
    preview: 'none',
    analysis: 'none',
    audience: [],
    shownTo: [],
    isShared: false,
    isLead: true,
    createAt: core.clock.now(),
    ...changes,
  };
  await core.models.Image.create([image]);
  return image;
}

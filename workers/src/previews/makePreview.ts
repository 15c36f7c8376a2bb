import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { previewContext } from '@lightbox/core/blobs/preview.js';
import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { JobContext } from '../jobContext.js';
import { readImage } from '../readImage.js';
import type { Pictures, Preview } from './preview.js';

/** Draws and stores the preview of an image, once. Does nothing when the image was deleted meanwhile. */
export async function makePreview(
  core: Core,
  pictures: Pictures,
  imageId: string,
  { isLastAttempt }: JobContext,
): Promise<void> {
  const image = await core.models.Image.findById(oid(imageId)).lean<ImageDoc>();
  if (!image) return;
  // An earlier attempt died after it marked the image and before it sent the signal.
  if (image.preview !== 'pending') return broadcast(core, image);
  const preview = await pictures.preview(await readImage(core, image), image.contentType).catch((error) => {
    if (!isLastAttempt) throw error;
    return null;
  });
  const marked = await store(core, image, preview);
  if (marked) await broadcast(core, marked);
}

/** Throws when Redis is away, so that the job is retried: without the signal open screens never show the picture. */
async function broadcast(core: Core, { _id, audience, owner }: ImageDoc): Promise<void> {
  const to = [...audience.map(String), String(owner), 'role:admin'];
  await core.signals.send([{ push: { name: 'image:updated', to, refs: { record: String(_id) } } }]);
}

/**
 * Writes the preview and marks the image's record, both or neither. Returns null when the image was deleted meanwhile. A plain
 * transaction without an event: no person acts here, so the audit log needs no entry, and a signal notifies the browsers.
 */
function store(core: Core, { _id, dataKey }: ImageDoc, preview: Preview | null): Promise<ImageDoc | null> {
  const { Image, Preview } = core.models;
  return core.db.transaction(async (session) => {
    const set = { $set: { preview: preview ? 'ready' : 'none' } } as const;
    const marked = await Image.findOneAndUpdate({ _id, preview: 'pending' }, set, { session }).lean<ImageDoc>();
    if (marked && preview) {
      const { webp, width, height } = preview;
      const key = unwrapDataKey(core.keys.images, String(_id), dataKey);
      const sealed = seal(key, previewContext(String(_id)), webp);
      await Preview.replaceOne({ _id }, { _id, sealed, width, height }, { session, upsert: true });
    }
    return marked;
  });
}

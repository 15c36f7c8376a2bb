import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { previewContext } from '@lightbox/core/blobs/preview.js';
import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { ImageDoc } from '@lightbox/core/models/types.js';
import { readAll } from '../analysis/analyseImage.js';
import type { JobContext } from '../runner.js';
import type { Pictures } from './preview.js';

/** Makes the small picture of an image, once; an image that was deleted meanwhile needs none. */
export async function makePreview(
  core: Core,
  pictures: Pictures,
  imageId: string,
  { isLastAttempt }: JobContext,
): Promise<void> {
  const image = await core.models.Image.findById(oid(imageId)).lean<ImageDoc>();
  if (!image) return;
  // An earlier attempt ended between the mark and its signal.
  if (image.preview !== 'pending') return tell(core, image);
  const preview = await pictures.preview(await readAll(core, image), image.contentType).catch((error) => {
    if (!isLastAttempt) throw error;
    return null;
  });
  if (preview) {
    const key = unwrapDataKey(core.keys.images, imageId, image.dataKey);
    const { webp, width, height } = preview;
    await core.models.Preview.replaceOne(
      { _id: image._id },
      { _id: image._id, sealed: seal(key, previewContext(imageId), webp), width, height },
      { upsert: true },
    );
  }
  const marked = await core.models.Image.findOneAndUpdate(
    { _id: image._id, preview: 'pending' },
    { $set: { preview: preview ? 'ready' : 'none' } },
  ).lean<ImageDoc>();
  if (!marked) {
    // Deleted while it was drawn: what was just written must not stay behind.
    if (!(await core.models.Image.exists({ _id: image._id }))) await core.models.Preview.deleteOne({ _id: image._id });
    return;
  }
  await tell(core, marked);
}

/** Fails with Redis, and the job is tried again: without the signal the picture's place stays empty on open screens. */
async function tell(core: Core, { _id, audience, owner }: ImageDoc): Promise<void> {
  const to = [...audience.map(String), String(owner), 'role:admin'];
  await core.signals.send([{ push: { name: 'image:updated', to, refs: { record: String(_id) } } }]);
}

import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { oid } from '@lightbox/core/db/ids.js';
import { renderingContext } from '@lightbox/core/images/renderings.js';
import { isFormat } from '@lightbox/core/imaging/formats.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { RenderingDoc } from '@lightbox/core/models/rendering.js';
import type { JobContext } from '../jobContext.js';
import { readImage } from '../readImage.js';
import type { Pictures } from './preview.js';

/** Draws one frame or page for a viewer, once. Does nothing when the image was deleted meanwhile. */
export async function renderFrame(
  core: Core,
  pictures: Pick<Pictures, 'frame'>,
  renderingId: string,
  { isLastAttempt }: Pick<JobContext, 'isLastAttempt'>,
): Promise<void> {
  const { Image, Rendering } = core.models;
  const asked = await Rendering.findById(oid(renderingId)).lean<RenderingDoc>();
  if (!asked || asked.sealed || asked.failed) return;
  const image = await Image.findById(asked.image).lean<ImageDoc>();
  if (!image) return;
  const format = asked.format ?? 'webp';
  const choice = { frame: asked.frame, format, ...(asked.window ? { window: asked.window } : {}) };
  const drawn = await pictures.frame(await readImage(core, image), image.contentType, choice).catch((error) => {
    if (!isLastAttempt || isAway(error)) throw error;
    return null;
  });
  const key = unwrapDataKey(core.keys.images, String(image._id), image.dataKey);
  // A hostile renderer must not return anything but the picture that was asked for.
  const outcome =
    drawn && isFormat(drawn.bytes, format)
      ? { sealed: seal(key, renderingContext(asked), drawn.bytes) }
      : { failed: true };
  // No upsert: the record is gone when the image was deleted.
  await Rendering.updateOne({ _id: asked._id }, { $set: outcome });
}

/** Tells the viewer who waits that the job is given up. */
export const giveUpFrame = ({ models }: Core, renderingId: string) =>
  models.Rendering.updateOne({ _id: oid(renderingId), sealed: { $exists: false } }, { $set: { failed: true } });

import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { PreviewDoc } from '@lightbox/core/models/preview.js';
import type { Context } from '../context.js';
import { etagOf } from '../http/etag.js';
import { rangeOf } from '../http/range.js';
import { hidesPicture, sendCopy } from './copies.js';
import { askForDrawings, pending } from './drawings.js';
import {
  checkDownload,
  checkFirst,
  checkOpen,
  extensionOf,
  inSameForm,
  recentKey,
  seenImage,
  sendBytes,
} from './imageBytes.js';
import { countRead, isSameLook, recordLook } from './looks.js';
import { openPreview } from './present.js';

/** Streams the original bytes, or a range of them; a copy without identity to whom it was shared so. */
export async function streamContent(context: Context<typeof imageCalls.getImageContent>): Promise<undefined> {
  const { gateway, params, req } = context;
  const asked = req.get('range') === undefined ? isSameLook(context, 'image.content', oid(params.id)) : undefined;
  const [{ image, copy }] = await Promise.all([checkFirst(context, 'download'), asked]);
  const may = inSameForm(checkDownload(context), { copy });
  if (copy) return sendCopy(context, image, copy, may);
  const { contentType, size } = image;
  const id = String(image._id);
  const range = rangeOf(context, size);
  const { from, to } = range ?? { from: 0, to: size };
  return sendBytes(context, {
    contentType,
    length: to - from,
    disposition: `attachment; filename="${id}.${extensionOf(contentType)}"`,
    headers: {
      'Accept-Ranges': 'bytes',
      ...(range ? { 'Content-Range': `bytes ${from}-${to - 1}/${size}` } : {}),
    },
    partial: range !== null,
    // A chunk is verified before it is sent: a damaged blob is an error, not an empty file.
    chunks: gateway.blobs.read(
      image.blob,
      unwrapDataKey(gateway.keys.images, id, image.dataKey),
      size,
      range ?? undefined,
      gateway.recent.chunks,
    ),
    may,
    record: () =>
      range
        ? countRead(context, 'image.content', image)
        : recordLook(context, 'image.content', image, asked ? { asked } : {}),
  });
}

export async function sendPreview(context: Context<typeof imageCalls.getImagePreview>): Promise<undefined> {
  const { gateway, params } = context;
  // Read together with the access check: sealed bytes reveal nothing until they are opened.
  const asked = isSameLook(context, 'image.preview', oid(params.id));
  const { previews } = gateway.recent;
  const key = recentKey(context);
  const kept = previews.get(key);
  const begun = previews.begin();
  const [access, preview] = await Promise.all([
    checkFirst(context, 'open'),
    kept ?? gateway.models.Preview.findById(oid(params.id)).lean<PreviewDoc>(),
    asked,
  ]);
  // Kept for a person who may see it. For anybody else the answer would be faster than that of an absent image.
  if (preview && !kept) previews.keep(key, preview, begun);
  const { image, copy } = access;
  if (image.preview === 'none') throw new AppError('NO_PREVIEW');
  if (copy && (await hidesPicture(gateway, [image])).has(String(image._id))) throw new AppError('NO_PREVIEW');
  if (!preview) {
    await askForDrawings(gateway, [image], { awaited: true });
    throw pending();
  }
  const webp = openPreview(gateway, image, preview);
  return sendBytes(context, {
    contentType: 'image/webp',
    length: webp.length,
    disposition: `inline; filename="${image._id}.webp"`,
    etag: etagOf(gateway, 'preview', bufferOf(preview.sealed).toString('base64', 0, 64)),
    chunks: webp,
    record: () => recordLook(context, 'image.preview', seenImage(access), { asked }),
    may: inSameForm(checkOpen(context), { copy }),
  });
}

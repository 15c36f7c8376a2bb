import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { PreviewDoc } from '@lightbox/core/models/types.js';
import type { Response } from 'express';
import type { Context } from '../context.js';
import { openPreview } from './present.js';

const extensions: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
  'application/dicom': 'dcm',
};

/** What people uploaded never runs in the product's origin: always an attachment, never sniffed, and sandboxed. */
function guard(res: Response, contentType: string): void {
  res.setHeader('Content-Type', contentType);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  res.setHeader('Cache-Control', 'no-store');
}

/** The original bytes. Who read them is in the log before the first byte leaves. */
export async function streamContent({
  gateway,
  actor,
  viewer,
  params,
  res,
}: Context<typeof imageCalls.getImageContent>): Promise<undefined> {
  const { image } = await requireImage(gateway.models, viewer, params.id, 'open', gateway.clock.now());
  const id = String(image._id);
  const pieces = gateway.blobs.read(image.blob, unwrapDataKey(gateway.keys.images, id, image.dataKey), image.size);
  // The first piece is proven before anything is answered: a damaged blob is an error, not an empty file.
  const first = await pieces.next();
  await gateway.events.record(actor, {
    type: 'image.content',
    table: 'imagemetadata',
    record: image._id,
    owners: [image.owner],
  });
  guard(res, image.contentType);
  res.setHeader('Content-Length', String(image.size));
  res.setHeader('Content-Disposition', `attachment; filename="${id}.${extensions[image.contentType] ?? 'bin'}"`);
  await pipeline(Readable.from(rejoin(first, pieces)), res);
  return undefined;
}

async function* rejoin(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value;
  yield* rest;
}

export async function sendPreview({
  gateway,
  actor,
  viewer,
  params,
  res,
}: Context<typeof imageCalls.getImagePreview>): Promise<undefined> {
  // Fetched along with the question whether it may be shown: sealed bytes are nothing until they are opened.
  const [{ image }, preview] = await Promise.all([
    requireImage(gateway.models, viewer, params.id, 'open', gateway.clock.now()),
    gateway.models.Preview.findById(oid(params.id)).lean<PreviewDoc>(),
  ]);
  if (image.preview === 'none') throw new AppError('NO_PREVIEW');
  if (!preview) throw new AppError('PREVIEW_PENDING');
  const webp = openPreview(gateway, image, preview);
  await gateway.events.record(actor, {
    type: 'image.preview',
    table: 'imagemetadata',
    record: image._id,
    owners: [image.owner],
  });
  guard(res, 'image/webp');
  res.setHeader('Content-Disposition', `inline; filename="${image._id}.webp"`);
  res.end(webp);
  return undefined;
}

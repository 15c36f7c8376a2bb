import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { PreviewDoc } from '@lightbox/core/models/preview.js';
import type { Context, Viewer } from '../context.js';
import { stream } from '../http/stream.js';
import { openPreview } from './present.js';

const extensions: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
  'application/dicom': 'dcm',
};

/** Headers that keep uploaded content from running in the product's origin: never sniffed, and sandboxed. */
const guarded = (contentType: string): Record<string, string> => ({
  'Content-Type': contentType,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'no-store',
});

type Read = typeof imageCalls.getImageContent | typeof imageCalls.getImagePreview;

/** Checks the right to open the image: before the answer, and again while bytes go out. */
const checkOpen =
  ({ gateway, params }: Context<Read>) =>
  (viewer: Viewer) =>
    requireImage(gateway.models, viewer, params.id, 'open', gateway.clock.now());

interface Bytes {
  type: 'image.content' | 'image.preview';
  contentType: string;
  length: number;
  disposition: string;
  chunks: AsyncGenerator<Buffer>;
}

/** Streams the bytes. The read is in the audit log before the first byte is sent. */
const send = (context: Context<Read>, image: ImageDoc, bytes: Bytes): Promise<void> =>
  stream(context, {
    chunks: bytes.chunks,
    headers: {
      ...guarded(bytes.contentType),
      'Content-Length': String(bytes.length),
      'Content-Disposition': bytes.disposition,
    },
    record: () =>
      context.gateway.events.record(context.actor, {
        type: bytes.type,
        record: image._id,
        owners: [image.owner],
      }),
    may: checkOpen(context),
  });

/** Streams the original bytes. */
export async function streamContent(context: Context<typeof imageCalls.getImageContent>): Promise<undefined> {
  const { gateway, viewer } = context;
  const { image } = await checkOpen(context)(viewer);
  const { contentType, size } = image;
  const id = String(image._id);
  await send(context, image, {
    type: 'image.content',
    contentType,
    length: size,
    disposition: `attachment; filename="${id}.${extensions[contentType] ?? 'bin'}"`,
    // A chunk is verified before it is sent: a damaged blob is an error, not an empty file.
    chunks: gateway.blobs.read(image.blob, unwrapDataKey(gateway.keys.images, id, image.dataKey), size),
  });
  return undefined;
}

export async function sendPreview(context: Context<typeof imageCalls.getImagePreview>): Promise<undefined> {
  const { gateway, viewer, params } = context;
  // Read together with the access check: sealed bytes reveal nothing until they are opened.
  const [{ image }, preview] = await Promise.all([
    checkOpen(context)(viewer),
    gateway.models.Preview.findById(oid(params.id)).lean<PreviewDoc>(),
  ]);
  if (image.preview === 'none') throw new AppError('NO_PREVIEW');
  if (!preview) throw new AppError('PREVIEW_PENDING');
  const webp = openPreview(gateway, image, preview);
  await send(context, image, {
    type: 'image.preview',
    contentType: 'image/webp',
    length: webp.length,
    disposition: `inline; filename="${image._id}.webp"`,
    chunks: (async function* () {
      yield webp;
    })(),
  });
  return undefined;
}

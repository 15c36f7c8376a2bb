import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { PreviewDoc } from '@lightbox/core/models/types.js';
import type { Context, Viewer } from '../context.js';
import { stream } from '../http/stream.js';
import { openPreview } from './present.js';

const extensions: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
  'application/dicom': 'dcm',
};

/** What people uploaded never runs in the product's origin: always an attachment, never sniffed, and sandboxed. */
const guarded = (contentType: string): Record<string, string> => ({
  'Content-Type': contentType,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'no-store',
});

/** The original bytes. Who read them is in the log before the first byte leaves. */
export async function streamContent(context: Context<typeof imageCalls.getImageContent>): Promise<undefined> {
  const { gateway, actor, viewer, params } = context;
  const open = (who: Viewer) => requireImage(gateway.models, who, params.id, 'open', gateway.clock.now());
  const { image } = await open(viewer);
  const id = String(image._id);
  await stream(context, {
    // A piece is proven before it is given out: a damaged blob is an error, not an empty file.
    pieces: gateway.blobs.read(image.blob, unwrapDataKey(gateway.keys.images, id, image.dataKey), image.size),
    headers: {
      ...guarded(image.contentType),
      'Content-Length': String(image.size),
      'Content-Disposition': `attachment; filename="${id}.${extensions[image.contentType] ?? 'bin'}"`,
    },
    record: () =>
      gateway.events.record(actor, {
        type: 'image.content',
        table: 'imagemetadata',
        record: image._id,
        owners: [image.owner],
      }),
    may: open,
  });
  return undefined;
}

export async function sendPreview(context: Context<typeof imageCalls.getImagePreview>): Promise<undefined> {
  const { gateway, actor, viewer, params } = context;
  const open = (who: Viewer) => requireImage(gateway.models, who, params.id, 'open', gateway.clock.now());
  // Fetched along with the question whether it may be shown: sealed bytes are nothing until they are opened.
  const [{ image }, preview] = await Promise.all([
    open(viewer),
    gateway.models.Preview.findById(oid(params.id)).lean<PreviewDoc>(),
  ]);
  if (image.preview === 'none') throw new AppError('NO_PREVIEW');
  if (!preview) throw new AppError('PREVIEW_PENDING');
  const webp = openPreview(gateway, image, preview);
  await stream(context, {
    pieces: (async function* () {
      yield webp;
    })(),
    headers: {
      ...guarded('image/webp'),
      'Content-Length': String(webp.length),
      'Content-Disposition': `inline; filename="${image._id}.webp"`,
    },
    record: () =>
      gateway.events.record(actor, {
        type: 'image.preview',
        table: 'imagemetadata',
        record: image._id,
        owners: [image.owner],
      }),
    may: open,
  });
  return undefined;
}

import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { requireImage } from '@lightbox/core/access/images.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Context, Viewer } from '../context.js';
import { stream } from '../http/stream.js';

type ReadCall =
  | typeof imageCalls.getImageContent
  | typeof imageCalls.getImagePreview
  | typeof imageCalls.getFrames
  | typeof imageCalls.getFrame
  | typeof imageCalls.getTags;

const extensions: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
  'application/dicom': 'dcm',
};
export const extensionOf = (contentType: string): string => extensions[contentType] ?? 'bin';

/** Headers that keep uploaded content from running in the product's origin: never sniffed, and sandboxed. */
export const guarded = (contentType: string): Record<string, string> => ({
  'Content-Type': contentType,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'no-store',
});

/** Checks the right to open the image: before the answer, and again while bytes go out. */
export const checkOpen =
  <C extends ReadCall>({ gateway, params }: Pick<Context<C>, 'gateway' | 'params'>) =>
  (viewer: Viewer) =>
    requireImage(gateway.models, viewer, (params as { id: string }).id, 'open', gateway.clock.now());

interface Bytes {
  contentType: string;
  length: number;
  disposition: string;
  /** Further headers. */
  headers?: Record<string, string>;
  /** The answer has a part of the bytes. */
  partial?: boolean;
  chunks: AsyncGenerator<Buffer>;
  /** Records the read in the audit log. */
  record: () => Promise<void>;
}

/** Streams bytes of an image. The read is in the audit log before the first byte is sent. */
export async function sendBytes<C extends ReadCall>(context: Context<C>, bytes: Bytes): Promise<undefined> {
  await stream(context as never, {
    chunks: bytes.chunks,
    ...(bytes.partial ? { status: 206 } : {}),
    headers: {
      ...guarded(bytes.contentType),
      'Content-Length': String(bytes.length),
      'Content-Disposition': bytes.disposition,
      ...bytes.headers,
    },
    record: bytes.record,
    may: checkOpen(context),
  });
  return undefined;
}

/** Records one read of an image. */
export const recordRead = (
  { gateway, actor }: Pick<Context, 'gateway' | 'actor'>,
  type: Extract<AuditAction, 'image.content' | 'image.preview' | 'image.view' | 'image.tags'>,
  { _id, owner }: ImageDoc,
): Promise<void> => gateway.events.record(actor, { type, record: _id, owners: [owner] });

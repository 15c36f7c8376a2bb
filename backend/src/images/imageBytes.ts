import type { ImageRule } from '@lightbox/contract/images/policy.js';
import { type ImageAccess, requireImage } from '@lightbox/core/access/images.js';
import type { Context, Viewer } from '../context.js';
import { type Streaming, stream } from '../http/stream.js';

/** A call about one image, by a signed-in person. */
export type OfImage = Pick<Context, 'gateway'> & { viewer: Viewer; params: { id: string } };

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

const check =
  (rule: ImageRule) =>
  ({ gateway, params }: Omit<OfImage, 'viewer'>) =>
  (viewer: Viewer): Promise<ImageAccess> =>
    requireImage(gateway.models, viewer, params.id, rule, gateway.clock.now());

/** Checks the right to open the image: before the answer, and again while bytes go out. */
export const checkOpen = check('open');
/** Checks the right to download the original in the same way. */
export const checkDownload = check('download');

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
  /** Checks the right while bytes go out; `checkOpen` by default. */
  may?: (viewer: Viewer) => Promise<ImageAccess>;
}

/** Streams bytes of an image. The read is in the audit log before the first byte is sent. */
export async function sendBytes(context: Streaming & OfImage, bytes: Bytes): Promise<undefined> {
  await stream(context, {
    chunks: bytes.chunks,
    ...(bytes.partial ? { status: 206 } : {}),
    headers: {
      ...guarded(bytes.contentType),
      'Content-Length': String(bytes.length),
      'Content-Disposition': bytes.disposition,
      ...bytes.headers,
    },
    record: bytes.record,
    may: bytes.may ?? checkOpen(context),
  });
  return undefined;
}

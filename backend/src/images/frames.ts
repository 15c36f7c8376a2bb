import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { FrameFacts, TagRow } from '@lightbox/contract/images/drawing.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError, IntegrityError } from '@lightbox/core/errors.js';
import { type Drawing, plainContext } from '@lightbox/core/imaging/drawing.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Answer, Context, Gateway } from '../context.js';
import { drawings, type Made, pending, type Sealed, tags, untilDrawn } from './drawings.js';
import { frameBytes, lengthOf, type Source } from './frameBytes.js';
import { checkOpen, type OfImage, type Seen, seenImage, sendBytes } from './imageBytes.js';
import { countRead, openLook, recordLook } from './looks.js';
import { renderedFrame } from './renderedFrame.js';

/**
 * Reads something that a worker made of the image, and waits for it if necessary. The right to open the image is
 * checked before it is opened, and again after a wait.
 */
async function readMade<Doc, T>(
  context: OfImage & Pick<Context, 'req'>,
  sealed: Sealed<Doc, T>,
): Promise<{ image: ImageDoc & Seen; made: T }> {
  const { gateway, viewer, params, req } = context;
  const check = () => checkOpen(context)(viewer);
  // Read together with the access check: sealed bytes reveal nothing until they are opened.
  const [access, found] = await Promise.all([check(), sealed.read(gateway, oid(params.id))]);
  const image = seenImage(access);
  if (found) return { image, made: sealed.open(gateway, image, found) };
  const drawn = await untilDrawn(gateway, image, req);
  await check();
  const later = drawn ? await sealed.read(gateway, image._id) : null;
  if (!later) throw pending();
  return { image, made: sealed.open(gateway, image, later) };
}

/** Answers with the facts that drawing the file needs. This is the look that the audit log lists. */
export async function getFrames(context: Context<typeof imageCalls.getFrames>): Promise<Answer<FrameFacts>> {
  const { image, made } = await readMade(context, drawings);
  await openLook(context, image);
  return { data: factsOf(context.gateway, made.drawing) };
}

/** The UID of the frame of reference leaves the server as a keyed hash only. */
export const factsOf = ({ keys }: Gateway, { facts, frameOfReferenceUid: uid }: Drawing): FrameFacts =>
  uid
    ? { ...facts, frameOfReference: hmac(keys.cursors.current.key, 'frameOfReference', uid).toString('base64url') }
    : facts;

/** Streams the bytes of one frame. */
export async function getFrame(context: Context<typeof imageCalls.getFrame>): Promise<undefined> {
  const { gateway, params, query } = context;
  const { image, made } = await readMade(context, drawings);
  if (query.rendered) return sendRendered(context, image, made);
  const parts = made.drawing.frames[params.n - 1];
  if (!parts) throw new AppError('NO_FRAME');
  const source = sourceOf(gateway, image, made);
  return sendBytes(context, {
    contentType: made.drawing.mediaType,
    length: lengthOf(parts),
    disposition: `attachment; filename="${image._id}-${params.n}"`,
    chunks: frameBytes(gateway.blobs, source, parts),
    record: () => countRead(context, 'image.view', image),
    may: checkOpen(context),
  });
}

/** Sends the server's own picture of a frame, for viewers that cannot draw it. */
async function sendRendered(
  context: Context<typeof imageCalls.getFrame>,
  image: ImageDoc & Seen,
  { drawing }: Made,
): Promise<undefined> {
  const { gateway, viewer, params, query } = context;
  if (params.n > drawing.facts.frames) throw new AppError('NO_FRAME');
  const { center, width } = query;
  const window = center !== undefined && width !== undefined ? { window: { center, width } } : {};
  const webp = await renderedFrame(gateway, context, image, { frame: params.n, ...window });
  // The right may have ended while a worker drew.
  await checkOpen(context)(viewer);
  return sendBytes(context, {
    contentType: 'image/webp',
    length: webp.length,
    disposition: `inline; filename="${image._id}-${params.n}.webp"`,
    chunks: (async function* () {
      yield webp;
    })(),
    record: () => countRead(context, 'image.view', image),
    may: checkOpen(context),
  });
}

/** Returns the blob with the frames: the original file, or the plain frames under a key of their own. */
function sourceOf({ keys }: Gateway, image: ImageDoc, { drawing, plain }: Made): Source {
  const id = String(image._id);
  const key = unwrapDataKey(keys.images, id, image.dataKey);
  if (drawing.source === 'file') return { blob: image.blob, size: image.size, key };
  if (!plain) throw new IntegrityError(`The plain frames of image ${id} are missing.`);
  return { blob: plain.blob, size: plain.size, key: open(key, plainContext(id), bufferOf(plain.key)) };
}

/** Answers with the elements of the file, or those that contain a text. */
export async function getTags(context: Context<typeof imageCalls.getTags>): Promise<Answer<TagRow[]>> {
  const { image, made } = await readMade(context, tags);
  await recordLook(context, 'image.tags', image);
  const { search } = context.query;
  return { data: search ? made.filter((row) => contains(row, search)) : made };
}

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

function contains({ tag, keyword = '', value }: TagRow, search: string): boolean {
  const wanted = plain(search);
  const number = wanted.replace(/[(),\s]/g, '');
  return (
    plain(value).includes(wanted) ||
    plain(keyword).includes(wanted.replace(/\s/g, '')) ||
    (number !== '' && tag.includes(number))
  );
}

import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { FrameFacts, PerFrame, TagRow } from '@lightbox/contract/images/drawing.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { oid } from '@lightbox/core/db/ids.js';
import { copyOf } from '@lightbox/core/deidentify/copy.js';
import { AppError, IntegrityError } from '@lightbox/core/errors.js';
import { type Drawing, plainContext, undrawable } from '@lightbox/core/imaging/drawing.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Answer, Context, Gateway, Reader } from '../context.js';
import { etagOf } from '../http/etag.js';
import { checkAgain } from '../http/stream.js';
import { rowsOf, sendCopy, showsNoText } from './copies.js';
import { drawings, type Made, pending, type Sealed, tags, untilDrawn } from './drawings.js';
import { frameBytes, lengthOf, type Source } from './frameBytes.js';
import { checkFirst, checkOpen, inSameForm, type OfImage, type Seen, seenImage, sendBytes } from './imageBytes.js';
import { countRead, openLook, recordLook } from './looks.js';
import { renderedFrame } from './renderedFrame.js';

/**
 * Reads something that a worker made of the image, and waits for it if necessary. The right to open the image is
 * checked before it is opened, and again after a wait.
 */
async function readMade<Doc, T>(
  context: OfImage & Pick<Context, 'call' | 'req'>,
  sealed: Sealed<Doc, T>,
): Promise<{ image: ImageDoc & Seen; made: T; copy: string | null }> {
  const { gateway, params, req } = context;
  // Read together with the access check: sealed bytes reveal nothing until they are opened.
  const [access, found] = await Promise.all([checkFirst(context, 'open'), sealed.read(gateway, oid(params.id))]);
  const image = seenImage(access);
  const { copy } = access;
  if (found) return { image, made: sealed.open(gateway, image, found), copy };
  const drawn = await untilDrawn(gateway, image, req);
  const now = await checkAgain(context, checkOpen(context));
  const later = drawn ? await sealed.read(gateway, image._id) : null;
  if (!later) throw pending();
  return { image: seenImage(now), made: sealed.open(gateway, image, later), copy: now.copy };
}

/** Answers with the facts that drawing the file needs. This is the look that the audit log lists. */
export async function getFrames(context: Context<typeof imageCalls.getFrames>): Promise<Answer<FrameFacts>> {
  const { image, made, copy } = await readMade(context, drawings);
  await openLook(context, image);
  return { data: factsOf(context.gateway, made.drawing, copy) };
}

/**
 * The UID of the frame of reference leaves the server as a keyed hash only. `copy`: the scope of a copy without identity,
 * in which the hash is another one.
 */
export function factsOf(
  { keys }: Gateway,
  { facts, frameOfReferenceUid: uid }: Drawing,
  copy: string | null,
): FrameFacts {
  const shown = copy ? factsOfCopy(facts) : facts;
  const name = ['frameOfReference', ...(copy ? [copy] : []), uid ?? ''];
  return uid ? { ...shown, frameOfReference: hmac(keys.names.current.key, ...name).toString('base64url') } : shown;
}

/** PS3.3 §C.11.1.1.2. The attribute takes any text. */
const RESCALE_TYPES = new Set('ED EDW HU HU_MOD MGML OD PCT US Z_EFF'.split(' '));
/** Units of waveforms (UCUM). Their code is a text of the file. */
const UNITS = new Set(
  'uV mV V uA mA A Ohm Hz s ms % 1 dB Cel Pa kPa bar mbar mm[Hg] cm[H2O] /min {H.B.}/min L mL L/min mL/min mL/s cm/s m/s m/s2 N'.split(
    ' ',
  ),
);

/** A copy has no overlays and no free text: a report has no lines there, and waveforms have numbers. Nothing is drawn of documents. */
function factsOfCopy({ overlays: _, report, perFrame, ...facts }: FrameFacts): FrameFacts {
  if (facts.kind === 'pdf' || report?.pdf) return undrawable.facts;
  const waveforms = report?.waveforms?.map(({ unit = '', ...lead }, i) => ({
    ...lead,
    name: String(i + 1),
    ...(UNITS.has(unit) ? { unit } : {}),
  }));
  return {
    ...withoutTexts(facts),
    ...(perFrame ? { perFrame: perFrame.map(withoutTexts) } : {}),
    ...(report ? { report: { lines: [], ...(waveforms ? { waveforms } : {}) } } : {}),
  };
}

/** Leaves out the explanations of windows. A kind of values that the standard does not know is an unspecified one. */
const withoutTexts = <T extends Pick<PerFrame, 'windows' | 'rescaleType'>>(facts: T): T => ({
  ...facts,
  ...(facts.windows ? { windows: facts.windows.map(({ explanation: _, ...window }) => window) } : {}),
  ...(facts.rescaleType && !RESCALE_TYPES.has(facts.rescaleType) ? { rescaleType: 'US' } : {}),
});

/** Streams the bytes of one frame. */
export async function getFrame(context: Context<typeof imageCalls.getFrame>): Promise<undefined> {
  const { gateway, params, query } = context;
  const { image, made, copy } = await readMade(context, drawings);
  if (copy && !showsNoText(made.drawing)) {
    // The frames themselves have no overlays, but the server's own picture has.
    if (query.rendered || made.drawing.facts.kind !== 'dicom') throw new AppError('NO_FRAME');
  }
  const may = inSameForm(checkOpen(context), { copy });
  if (query.rendered) return sendRendered(context, image, made, may);
  // The frame of a picture is its whole file.
  if (copy && made.drawing.facts.kind === 'picture' && made.drawing.source === 'file') {
    return sendCopy(context, image, copy, may, () => countRead(context, 'image.view', image));
  }
  const parts = made.drawing.frames[params.n - 1];
  if (!parts) throw new AppError('NO_FRAME');
  const source = sourceOf(gateway, image, made);
  return sendBytes(context, {
    contentType: made.drawing.mediaType,
    length: lengthOf(parts),
    disposition: copy ? 'attachment' : `attachment; filename="${image._id}-${params.n}"`,
    etag: etagOf(gateway, 'frame', String(source.blob), made.drawing.mediaType, JSON.stringify(parts)),
    chunks: frameBytes(gateway.blobs, source, parts),
    record: () => countRead(context, 'image.view', image),
    may,
  });
}

/** Sends the server's own picture of a frame, for viewers that cannot draw it. */
async function sendRendered(
  context: Context<typeof imageCalls.getFrame>,
  image: ImageDoc & Seen,
  { drawing }: Made,
  may: (viewer: Reader) => Promise<unknown>,
): Promise<undefined> {
  const { gateway, params, query } = context;
  if (params.n > drawing.facts.frames) throw new AppError('NO_FRAME');
  const { center, width } = query;
  const window = center !== undefined && width !== undefined ? { window: { center, width } } : {};
  const webp = await renderedFrame(gateway, context, image, { frame: params.n, ...window });
  // The right may have ended while a worker drew.
  await checkAgain(context, may);
  return sendBytes(context, {
    contentType: 'image/webp',
    length: webp.length,
    disposition: `inline; filename="${image._id}-${params.n}.webp"`,
    chunks: (async function* () {
      yield webp;
    })(),
    record: () => countRead(context, 'image.view', image),
    may,
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
  const { image, made, copy } = await readMade(context, tags);
  const rows = copy ? rowsOf(await copyOf(context.gateway, image, copy), made) : made;
  await recordLook(context, 'image.tags', image);
  const { search } = context.query;
  return { data: search ? rows.filter((row) => contains(row, search)) : rows };
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

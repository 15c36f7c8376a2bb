import { contentTypes } from '@lightbox/contract/images/names.js';
import { limits } from '@lightbox/contract/limits.js';
import { unwrapDataKey } from '../blobs/cipher.js';
import type { Core } from '../core.js';
import { AppError } from '../errors.js';
import { DEFLATED, type Encoding } from '../imaging/encoding.js';
import { InflatedReader, readInflated } from '../imaging/inflated.js';
import type { Source } from '../imaging/source.js';
import type { ImageDoc } from '../models/image.js';
import type { ShareDoc } from '../models/share.js';
import type { Copy } from './change.js';
import { deidentifyDicom, type FileMeta, fileMeta } from './dicom.js';
import { cannotDeidentify, MoreBytes, type Pixels } from './elements.js';
import { type Cells, clearedCells } from './nativePixels.js';
import { deidentifyJpeg, deidentifyPng } from './pictures.js';
import { inSlices } from './steps.js';
import { type Disguise, daysOf, mac, type PlainPixels } from './values.js';

type Stored = Pick<ImageDoc, '_id' | 'blob' | 'dataKey' | 'size'>;

/** The fields of an image on which its copy depends. */
export const copiedFields = {
  blob: 1,
  dataKey: 1,
  size: 1,
  contentType: 1,
  owner: 1,
  patient: 1,
  study: 1,
  blackedOut: 1,
} as const;
type CopiedField = '_id' | keyof typeof copiedFields;
/** A part of an image that was read with these fields. A part that lacks one of them is no such type, though it may be absent. */
export type CopiedPart = { [Field in CopiedField]: ImageDoc[Field] };
export type Copied = ImageDoc | CopiedPart;

/** Reads parts of the file of an image. */
export const sourceOf = (core: Pick<Core, 'blobs' | 'keys'>, image: Stored): Source => ({
  size: image.size,
  read: (from, to) => read(core, image, from, to),
});

/** First bytes of a file that are read for its header; more while the header is not whole. */
const FIRST_BYTES = 1024 * 1024;

export const canDeidentify = (contentType: ImageDoc['contentType']): boolean =>
  contentTypes.includes(contentType) && contentType !== 'application/pdf';

/**
 * Returns the secrets of the copies that one share gives. `scope` is the id of the share: its UIDs are alike in all its
 * images, and nobody finds them in another share. For copies that become images, it is the id of their study. The dates of
 * a patient move alike in every share, so that images that are shared one by one keep their distances. The patient is the
 * one whom the image named when the share was made, else the one of the file.
 */
async function disguiseFor(
  { pseudonyms, models }: Pick<Core, 'pseudonyms' | 'models'>,
  scope: string,
  image: Copied,
): Promise<Disguise> {
  const { _id, study, blackedOut } = image;
  const [key, share] = await Promise.all([
    pseudonyms.text('deidentified', scope),
    models.Share.findById(scope, { datesOf: 1 }).lean<Pick<ShareDoc, 'datesOf'>>(),
  ]);
  const { owner, patient } = share?.datesOf ?? image;
  const shift = await pseudonyms.text('deidentified days', String(owner));
  const secret = Buffer.from(shift, 'base64url');
  return {
    key: Buffer.from(key, 'base64url'),
    cleaned: blackedOut === true,
    days: (patientId) => {
      // Its dates were moved when it was made.
      if (blackedOut !== undefined) return 0;
      const person = patient
        ? ['patient', String(patient)]
        : patientId
          ? ['file', patientId]
          : ['', String(study ?? _id)];
      return daysOf(mac(secret, ...person));
    },
  };
}

/**
 * Makes the copy of an image without identity: its parts, and no more of the file than its header. Throws
 * `CANNOT_DEIDENTIFY` for a PDF, for a DICOM file that contains a document, and for a file whose header cannot be followed.
 */
export async function copyOf(
  core: Core,
  image: Copied,
  scope: string,
  { noTextLeft = false }: Pick<Disguise, 'noTextLeft'> = {},
): Promise<Copy> {
  const disguise = { ...(await disguiseFor(core, scope, image)), noTextLeft };
  const source = sourceOf(core, image);
  switch (image.contentType) {
    case 'image/jpeg':
      return deidentifyJpeg(await wholeOf(source));
    case 'image/png':
      return deidentifyPng(await wholeOf(source));
    case 'application/dicom':
      return copyOfDicom(source, disguise);
    default:
      throw cannotDeidentify();
  }
}

/** Returns a DICOM file without identity up to its pixel data, for new pixels in which places are black. */
export async function headForBlackedOut(
  core: Core,
  image: Copied,
  scope: string,
  { noTextLeft, ...pixels }: PlainPixels & Pick<Disguise, 'noTextLeft'>,
): Promise<{ head: Buffer; big: boolean }> {
  const disguise = { ...(await disguiseFor(core, scope, image)), cleaned: true, noTextLeft, pixels };
  const source = sourceOf(core, image);
  const { parts, big = false } = await copyOfDicom(source, disguise);
  return { head: Buffer.concat(parts.filter((part) => Buffer.isBuffer(part))), big };
}

/** Makes the copy of a DICOM file. Reads no more of it than its header, and the places of encapsulated fragments. */
export async function copyOfDicom(source: Source, disguise: Disguise): Promise<Copy> {
  const { size } = source;
  let bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  let found: { pixels: Pixels; encoding: Encoding } | null = null;
  for (let wanted = FIRST_BYTES; ; wanted *= 4) {
    if (bytes.length >= limits.headerBytes) throw cannotDeidentify();
    const to = Math.min(wanted, size, limits.headerBytes);
    bytes = Buffer.concat([bytes, await source.read(bytes.length, to)]);
    try {
      const isWhole = bytes.length >= size;
      const meta = fileMeta(bytes, isWhole);
      if (meta.syntax === DEFLATED) return await copyOfDeflated(source, meta, disguise);
      const steps = deidentifyDicom(meta, { bytes, at: meta.end, isWhole }, disguise, (pixels, encoding) => {
        found = { pixels, encoding };
        return pixels.length === null ? size : Math.min(size, pixels.from + pixels.length);
      });
      const copy = await inSlices(steps);
      return found ? await cutBehindPixels(source, copy, found) : copy;
    } catch (error) {
      if (!(error instanceof MoreBytes)) throw error;
    }
  }
}

/** The pixels of a deflated file are unpacked when the copy is read. */
async function copyOfDeflated(source: Source, meta: FileMeta, disguise: Disguise): Promise<Copy> {
  const { end: deflatedFrom } = meta;
  const endOf = ({ from, length }: Pixels): number => from + (length ?? 0);
  const most = { first: FIRST_BYTES, most: limits.headerBytes };
  try {
    const copy = await readInflated(source, deflatedFrom, most, (bytes, isWhole) =>
      inSlices(deidentifyDicom(meta, { bytes, at: 0, isWhole }, disguise, endOf)),
    );
    if (copy) return { ...copy, deflatedFrom };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'UNREADABLE_FILE')) throw error;
  }
  throw cannotDeidentify();
}

/** Ends encapsulated pixel data at its delimiter: nothing of the elements behind it belongs to the copy. */
async function cutBehindPixels(
  source: Source,
  copy: Copy,
  { pixels, encoding }: { pixels: Pixels; encoding: Encoding },
): Promise<Copy> {
  if (pixels.length !== null) return copy;
  const end = await endOfFragments(source, pixels.from, encoding);
  const parts = copy.parts.map((part) => (Buffer.isBuffer(part) ? part : ([part[0], end] as const)));
  return { ...copy, parts, size: copy.size - (source.size - end) };
}

/** Follows the fragments (PS3.5 §A.4) and returns the first byte behind their delimiter. */
async function endOfFragments({ size, read }: Source, from: number, { big }: Encoding): Promise<number> {
  let held: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) };
  let at = from;
  while (at + 8 <= size) {
    if (at < held.at || at + 8 > held.at + held.bytes.length) {
      held = { at, bytes: await read(at, Math.min(size, at + FIRST_BYTES)) };
    }
    const head = held.bytes.subarray(at - held.at);
    const tag = (big ? head.readUInt16BE(2) : head.readUInt16LE(2)) & 0xffff;
    const length = big ? head.readUInt32BE(4) : head.readUInt32LE(4);
    if (tag === 0xe0dd) return at + 8;
    if (tag !== 0xe000) throw cannotDeidentify();
    at += 8 + length;
  }
  throw cannotDeidentify();
}

function wholeOf({ size, read }: Source): Promise<Buffer> {
  if (size > limits.headerBytes) throw cannotDeidentify();
  return read(0, size);
}

async function read(core: Pick<Core, 'blobs' | 'keys'>, image: Stored, from: number, to: number): Promise<Buffer> {
  if (to <= from) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of rangesOf(core, image)(from, to)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Yields the bytes of a copy, or a range of them. The pixels are read from the original while they are sent. */
export async function* readCopy(
  core: Core,
  image: Stored,
  { parts, size, deflatedFrom }: Pick<Copy, 'parts' | 'size' | 'deflatedFrom'>,
  range: { from: number; to: number } = { from: 0, to: size },
): AsyncGenerator<Buffer> {
  const read = rangesOf(core, image, deflatedFrom);
  let at = 0;
  for (const part of parts) {
    const length = Buffer.isBuffer(part) ? part.length : part[1] - part[0];
    const from = Math.max(0, range.from - at);
    const to = Math.min(length, range.to - at);
    at += length;
    if (from >= to) continue;
    if (Buffer.isBuffer(part)) {
      yield part.subarray(from, to);
      continue;
    }
    const bytes = (first: number, end: number) => read(part[0] + first, part[0] + end);
    const [, , cells] = part;
    if (!cells) yield* bytes(from, to);
    else yield* clearedRange(bytes, cells, { from, to, length });
  }
}

/** Returns a function that yields a range of the file of an image, or of its unpacked data set. */
export function rangesOf(
  core: Pick<Core, 'blobs' | 'keys'>,
  image: Stored,
  deflatedFrom?: number,
): (from: number, to: number) => AsyncIterable<Buffer> {
  if (deflatedFrom !== undefined) {
    const reader = new InflatedReader(sourceOf(core, image), deflatedFrom);
    return (from, to) => reader.range(from, to);
  }
  const key = unwrapDataKey(core.keys.images, String(image._id), image.dataKey);
  return (from, to) => core.blobs.read(image.blob, key, image.size, { from, to });
}

/** Yields a range of cleared cells. It may begin and end within one, so the cells at its ends are read as a whole. */
async function* clearedRange(
  read: (from: number, to: number) => AsyncIterable<Buffer>,
  cells: Cells,
  { from, to, length }: { from: number; to: number; length: number },
): AsyncGenerator<Buffer> {
  let at = from - (from % cells.size);
  const end = Math.min(length, Math.ceil(to / cells.size) * cells.size);
  for await (const part of clearedCells(read(at, end), cells)) {
    yield part.subarray(Math.max(0, from - at), to - at);
    at += part.length;
  }
}

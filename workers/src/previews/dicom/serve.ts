import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { type FramePart, isServed, type ServedSyntax } from '@lightbox/core/imaging/drawing.js';
import { codecOf } from './codecs.js';
import { type JpegStream, readJpeg, readJpeg2000 } from './codestream.js';
import { Undrawable } from './dataSet.js';
import { syntaxes } from './dicomFile.js';
import type { Film } from './film.js';
import { encodedFrame, jpegColours, type PlainFrame, plainFrame } from './plainFrame.js';

/** Frames that a browser takes as they lie in the file. */
export interface Served {
  syntax: ServedSyntax;
  frames: FramePart[][];
}

type Pixels = Partial<FrameFacts>;

/** Returns the frames as they lie in the file, or null when a browser would not draw each of them right. */
export function servedAsIs(film: Film): Served | null {
  const { file, frames } = film;
  if (file.inflated || frames.values !== 'integer' || isSignedByte(film)) return null;
  if (!frames.encapsulated) return isTidy(film) ? ranges(film, syntaxes.explicitLittle) : null;
  if (!isServed(file.syntax)) return null;
  if (file.syntax === syntaxes.rle) return film.pixels.samples === 1 && isTidy(film) ? ranges(film, file.syntax) : null;
  return compressed(film, file.syntax);
}

/** Greys that browsers read without their sign: the imaging library has no bytes with one. */
const isSignedByte = ({ pixels }: Film): boolean => pixels.samples === 1 && pixels.signed && pixels.bitsAllocated === 8;

/** Returns the values of a frame, from 0, in a form that browsers read. */
export function servedPixels(film: Film, frame: number): PlainFrame {
  const plain = plainFrame(film, frame);
  return plain.pixels instanceof Int8Array ? { ...plain, pixels: Int16Array.from(plain.pixels) } : plain;
}

function ranges(film: Film, syntax: ServedSyntax): Served {
  return { syntax, frames: each(film, (frame) => [...film.frames.parts(frame)]) };
}

const each = <T>({ frames }: Film, of: (frame: number) => T): T[] =>
  Array.from({ length: frames.count }, (_, frame) => of(frame));

/** Bits of greys that a browser takes without decoding; the others take more than its pixels hold. */
const GREY_BITS = [8, 16];

/**
 * True for little endian greys, and interleaved RGB of 8 bits, without foreign bits in a sample: overlays once shared the
 * words of the pixels, and some files leave the sign out.
 */
function isTidy(film: Film): boolean {
  const { samples, bitsAllocated, photometric, planar } = film.pixels;
  if (film.set.big) return false;
  if (samples === 3) return photometric === 'RGB' && bitsAllocated === 8 && !planar && film.pixels.bitsStored === 8;
  if (!photometric.startsWith('MONOCHROME') || !GREY_BITS.includes(bitsAllocated)) return false;
  if (film.pixels.bitsStored === bitsAllocated) return true;
  return (
    !film.frames.encapsulated &&
    each(film, (frame) => unlessDamaged(() => isUnchanged(film, frame), false)).every(Boolean)
  );
}

function isUnchanged(film: Film, frame: number): boolean {
  const { pixels } = plainFrame(film, frame);
  return Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength).equals(encodedFrame(film, frame));
}

/** A drawing with more parts would not fit into a document. */
const PARTS = 100_000;

function compressed(film: Film, syntax: ServedSyntax): Served | null {
  const codec = codecOf(syntax);
  const partsOf = codec === 'jpeg' || codec === 'jpegLs' ? jpegParts : jpeg2000Parts;
  const frames: FramePart[][] = [];
  let count = 0;
  for (let frame = 0; frame < film.frames.count; frame++) {
    const parts = unlessDamaged(() => partsOf(film, frame, encodedFrame(film, frame)), []);
    count += parts?.length ?? 0;
    if (!parts || count > PARTS) return null;
    frames.push(parts);
  }
  return { syntax, frames };
}

/** Returns `otherwise` for a frame that cannot be decoded. */
export function unlessDamaged<T>(decode: () => T, otherwise: T): T {
  try {
    return decode();
  } catch {
    // Decoders throw strings and objects of all kinds.
    return otherwise;
  }
}

const BASELINE = 0xc0;
const JPEG_LS = 0xf7;

function jpegParts(film: Film, frame: number, encoded: Buffer): FramePart[] | null {
  const { samples, signed, bitsAllocated, photometric } = film.pixels;
  const stream = readJpeg(encoded);
  checkSize(film, stream);
  if (stream.bits > 8 !== bitsAllocated > 8 || bitsAllocated > 16) return null;
  // These streams have no sign: a browser would not find it in fewer bits than the sample has.
  if (signed && stream.bits < bitsAllocated) return null;
  const parts = [...film.frames.parts(frame)];
  if (samples === 1) return photometric.startsWith('MONOCHROME') ? parts : null;
  if (stream.process === JPEG_LS) return photometric === 'RGB' ? parts : null;
  if (stream.process !== BASELINE || bitsAllocated > 8) return null;
  return relabelled(film, frame, stream, jpegColours(stream, photometric));
}

/** Replaces the segments that name a colour space by one APP14 that names the right one, for decoders that rely on it. */
function relabelled(film: Film, frame: number, stream: JpegStream, photometric: string): FramePart[] {
  const transform = photometric === 'RGB' ? 0 : 1;
  const adobe = Buffer.from([0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform]);
  const soi = Buffer.from([0xff, 0xd8]);
  const kept: [number, number][] = [];
  let at = soi.length;
  for (const [offset, length] of stream.colourSegments) {
    kept.push([at, offset - at]);
    at = offset + length;
  }
  const total = film.frames.parts(frame).reduce((sum, [, length]) => sum + length, 0);
  kept.push([at, total - at]);
  const parts = kept.flatMap(([offset, length]) => cut(film, frame, offset, length));
  return [{ bytes: Buffer.concat([soi, adobe]).toString('base64') }, ...parts];
}

/** Returns the ranges of the file that hold `length` bytes of a frame from `offset` on. */
function cut({ frames }: Film, frame: number, offset: number, length: number): FramePart[] {
  const found: FramePart[] = [];
  let [skip, missing] = [offset, length];
  for (const [from, size] of frames.parts(frame)) {
    const taken = Math.min(size - skip, missing);
    if (taken > 0) {
      found.push([from + skip, taken]);
      missing -= taken;
      skip = 0;
    } else skip -= size;
  }
  return found;
}

function jpeg2000Parts(film: Film, frame: number, encoded: Buffer): FramePart[] | null {
  const { samples, signed, bitsAllocated, photometric } = film.pixels;
  const stream = readJpeg2000(encoded);
  checkSize(film, stream);
  if (stream.isBoxed || stream.signed !== signed) return null;
  if (stream.bits > 8 !== bitsAllocated > 8 || bitsAllocated > 16) return null;
  const known =
    samples === 1 ? photometric.startsWith('MONOCHROME') : ['RGB', 'YBR_RCT', 'YBR_ICT'].includes(photometric);
  return known && (samples === 1 || bitsAllocated === 8) ? [...film.frames.parts(frame)] : null;
}

function checkSize({ pixels }: Film, stream: { rows: number; columns: number; samples: number }): void {
  const agrees = stream.rows === pixels.rows && stream.columns === pixels.columns && stream.samples === pixels.samples;
  if (!agrees) throw new Undrawable('a frame has another size than the header says');
}

/** Returns the pixel module of frames that are served as they lie in the file. */
export function asIsFacts({ pixels }: Film, { syntax }: Served): Pixels {
  const { rows, columns, samples, bitsAllocated, bitsStored, signed, photometric } = pixels;
  return {
    rows,
    columns,
    samplesPerPixel: samples,
    bitsAllocated,
    bitsStored,
    highBit: bitsStored - 1,
    pixelRepresentation: signed ? 1 : 0,
    photometricInterpretation: samples === 1 ? photometric : servedColours(photometric, syntax),
    ...(samples > 1 ? { planarConfiguration: 0 } : {}),
    transferSyntax: syntax,
  };
}

/** A relabelled JPEG names its colours itself, and browsers decode it to RGB; so does the transform of JPEG 2000. */
const servedColours = (photometric: string, syntax: ServedSyntax): string =>
  syntax === '1.2.840.10008.1.2.4.50' && photometric !== 'RGB' ? 'YBR_FULL_422' : photometric;

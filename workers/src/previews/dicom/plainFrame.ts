import { endsImage } from '@lightbox/core/imaging/fragments.js';
import { type CodecName, codecOf, decompress, type Shape } from './codecs.js';
import { readJpeg, readJpeg2000 } from './codestream.js';
import {
  coloursOf,
  fullFromHalved,
  interleave,
  type Palettes,
  readPalettes,
  rgbFromYbrFull,
  rgbFromYbrPartial,
} from './colours.js';
import { PIXEL_DATA, Undrawable } from './dataSet.js';
import { syntaxes } from './dicomFile.js';
import { type Film, fractions } from './film.js';
import { isHalved } from './findFrames.js';
import type { PixelModule } from './pixelModule.js';

export type Samples = Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array;

/** A frame in the plainest form: greys as numbers, or colours as RGB of 8 bits, interleaved. */
export interface PlainFrame {
  rows: number;
  columns: number;
  samples: 1 | 3;
  /** Bits of a sample that are used; those above repeat the sign, or are 0. */
  bitsStored: number;
  pixels: Samples;
}

/** Samples as a codec or the file gives them: little endian, interleaved. */
export interface Decoded {
  bytes: Buffer;
  bitsAllocated: number;
  bitsStored: number;
  /** The meaning of the samples; a codec may have changed it. */
  photometric: string;
}

/**
 * Makes one frame plain, from 0. Previews, measurements, pictures for models, rendered frames and the frames that browsers
 * get are all made of its result. `loadCodecs` must have resolved.
 */
export function plainFrame(film: Film, frame: number): PlainFrame {
  const { rows, columns, samples, highBit, signed } = film.pixels;
  if (film.rescale) {
    return { rows, columns, samples: 1, bitsStored: 16, pixels: stepped(film, frame, film.rescale) };
  }
  const decoded = decodedFrame(film, frame);
  const size = { rows, columns, bitsStored: decoded.bitsStored };
  if (decoded.photometric === 'PALETTE COLOR') {
    const indexes = greys(decoded, signed) as Uint8Array;
    return { ...size, samples: 3, bitsStored: 8, pixels: coloursOf(indexes, palettesOf(film)) };
  }
  if (samples === 1)
    return { ...size, samples: 1, pixels: greys(decoded, signed, highBit + 1 - film.pixels.bitsStored) };
  return { ...size, samples: 3, bitsStored: 8, pixels: rgb(decoded) };
}

/** Returns the samples of a frame of integers, from 0, without a change of their colours. */
export function decodedFrame(film: Film, frame: number): Decoded {
  const isCompressed = film.frames.encapsulated && film.file.syntax !== syntaxes.encapsulatedUncompressed;
  return isCompressed ? decode(film, frame) : native(film, frame);
}

/** Returns the bytes of a frame as they lie in the file. */
export function encodedFrame({ file, frames }: Film, frame: number): Buffer {
  const parts = frames.parts(frame).map(([offset, length]) => file.bytes.subarray(offset, offset + length));
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

const palettes = new WeakMap<Film, Palettes>();

export function palettesOf(film: Film): Palettes {
  const found = palettes.get(film) ?? readPalettes(film.set);
  palettes.set(film, found);
  return found;
}

function decode(film: Film, frame: number): Decoded {
  const codec = codecOf(film.file.syntax);
  const encoded = encodedFrame(film, frame);
  // Its decoder takes half a minute for a stream that was cut off.
  if (codec === 'jpegLs' && !endsImage(encoded)) throw new Undrawable('a frame that was cut off');
  const { shape, photometric } = shapeOf(codec, encoded, film.pixels);
  const bytes = decompress(codec, encoded, shape);
  return { bytes, bitsAllocated: shape.bitsAllocated, bitsStored: shape.bitsStored, photometric };
}

/** Returns the shape of a compressed frame and the meaning of its samples. The stream must agree with the header. */
function shapeOf(codec: CodecName, encoded: Buffer, pixels: PixelModule): { shape: Shape; photometric: string } {
  const { rows, columns, samples, bitsAllocated, bitsStored, signed, photometric } = pixels;
  const shape = { rows, columns, samples, bitsAllocated, bitsStored, signed };
  if (codec === 'rle' || codec === 'jpegXl') return { shape, photometric };
  const stream = codec === 'jpeg' || codec === 'jpegLs' ? readJpeg(encoded) : readJpeg2000(encoded);
  if (stream.rows !== rows || stream.columns !== columns || stream.samples !== samples) {
    throw new Undrawable('a frame has another size than the header says');
  }
  const bits = Math.max(bitsStored, stream.bits);
  const inStream = { ...shape, bitsAllocated: bits > 8 ? 16 : 8, bitsStored: Math.min(16, bits) };
  if (bits > 16) throw new Undrawable('more bits than the codecs take');
  if ('hasJfif' in stream && codec === 'jpeg')
    return { shape: inStream, photometric: jpegColours(stream, photometric) };
  // The transform of JPEG 2000 is undone by its decoder.
  if (photometric === 'YBR_RCT' || photometric === 'YBR_ICT') return { shape: inStream, photometric: 'RGB' };
  return { shape: inStream, photometric };
}

/**
 * Returns the meaning of the components of a JPEG stream: PS3.3 §C.7.6.3.1.2 and PS3.5 §8.2.1, with the corrections that
 * other readers make. Components that are named R, G and B are these colours; a JFIF stream holds YBR.
 */
export function jpegColours(stream: { samples: number; hasRgbIds: boolean; hasJfif: boolean }, said: string): string {
  if (stream.samples !== 3) return said;
  if (stream.hasRgbIds) return 'RGB';
  if (stream.hasJfif) return 'YBR_FULL';
  return said === 'RGB' ? 'RGB' : 'YBR_FULL';
}

function native(film: Film, frame: number): Decoded {
  const { pixels, file } = film;
  const { rows, columns, samples, bitsAllocated, bitsStored, photometric } = pixels;
  const found = encodedFrame(film, frame);
  const count = rows * columns;
  if (bitsAllocated === 1) {
    const first = film.frames.encapsulated ? 0 : (frame * count * samples) % 8;
    const bytes = unpackBits(found, first, count * samples);
    return { bytes, bitsAllocated: 8, bitsStored: 1, photometric };
  }
  const size = bitsAllocated / 8;
  const ordered = file.set.big ? swapped(film, frame, size) : found;
  const bytes = isHalved(pixels)
    ? fullFromHalved(ordered, count)
    : pixels.planar
      ? interleave(ordered, samples, size)
      : ordered;
  return { bytes, bitsAllocated, bitsStored, photometric };
}

function unpackBits(packed: Buffer, from: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  for (let i = 0; i < count; i++) bytes[i] = ((packed[(from + i) >> 3] ?? 0) >> ((from + i) & 7)) & 1;
  return bytes;
}

/** Returns a big endian frame in little endian. OW is a stream of 16-bit words (PS3.5 §7.3), also of pixels of 8 bits. */
function swapped(film: Film, frame: number, size: number): Buffer {
  const bytes = Buffer.from(encodedFrame(film, frame));
  const element = film.set.elements.get(PIXEL_DATA);
  if (size === 1) return element?.vr === 'OW' ? swappedWords(film, frame, element.offset) : bytes;
  return size === 2 ? bytes.swap16() : bytes.swap32();
}

/** A frame of an odd number of bytes shares a word with its neighbour or with the padding. */
function swappedWords({ file, frames }: Film, frame: number, origin: number): Buffer {
  const [[from, length] = [0, 0]] = frames.parts(frame);
  const before = (from - origin) % 2;
  const words = Buffer.alloc(Math.ceil((before + length) / 2) * 2);
  file.bytes.copy(words, 0, from - before, from - before + words.length);
  return words.swap16().subarray(before, before + length);
}

/** Returns a copy of the bytes that begins where typed arrays may begin. */
const aligned = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;

/** Returns the steps of values with fractions. A value that is no number is 0. */
function stepped(
  { file, frames, set }: Film,
  frame: number,
  { slope, intercept }: NonNullable<Film['rescale']>,
): Uint16Array {
  return Uint16Array.from(fractions(file.bytes, frames, frame, set.big), (value) =>
    Math.round((value - intercept) / slope),
  );
}

/** Returns integers without the bits that do not belong to them, and with their sign (PS3.5 §8.1.1). */
export function greys({ bytes, bitsAllocated, bitsStored }: Decoded, signed: boolean, low = 0): Samples {
  const buffer = aligned(bytes);
  const up = bitsAllocated - bitsStored - Math.max(0, Math.min(low, bitsAllocated - bitsStored));
  const down = bitsAllocated - bitsStored;
  const all =
    bitsAllocated === 8
      ? new (signed ? Int8Array : Uint8Array)(buffer)
      : bitsAllocated === 16
        ? new (signed ? Int16Array : Uint16Array)(buffer)
        : new (signed ? Int32Array : Uint32Array)(buffer);
  if (down === 0) return all;
  const unused = 32 - bitsAllocated;
  for (let i = 0; i < all.length; i++) {
    const top = (all[i] as number) << (up + unused);
    all[i] = signed ? top >> (down + unused) : top >>> (down + unused);
  }
  return all;
}

/** Returns colours of 8 bits. */
function rgb({ bytes, bitsAllocated, bitsStored, photometric }: Decoded): Buffer {
  const pixels = bitsAllocated === 8 ? Buffer.from(bytes) : highBytes(bytes, bitsAllocated, bitsStored);
  if (photometric.startsWith('YBR_PARTIAL')) rgbFromYbrPartial(pixels);
  else if (photometric.startsWith('YBR')) rgbFromYbrFull(pixels);
  return pixels;
}

function highBytes(bytes: Buffer, bitsAllocated: number, bitsStored: number): Buffer {
  const samples = bitsAllocated === 16 ? new Uint16Array(aligned(bytes)) : new Uint32Array(aligned(bytes));
  const shift = Math.max(0, bitsStored - 8);
  return Buffer.from(Uint8Array.from(samples, (sample) => sample >>> shift));
}

import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import type { PlainPixels } from '@lightbox/core/deidentify/values.js';
import type { SendPart } from '../protocol.js';
import { loadCodecs } from './codecs.js';
import { rgbFromYbrFull, rgbFromYbrPartial } from './colours.js';
import { Undrawable } from './dataSet.js';
import { openDicom } from './dicomFile.js';
import { type Film, openFilm } from './film.js';
import { type Decoded, decodedFrame, greys, palettesOf } from './plainFrame.js';
import { encapsulatedPdf } from './report.js';

/** The samples of one frame, and the value of a black pixel in each of them. */
interface Plain {
  bytes: Buffer;
  bitsAllocated: number;
  bitsStored: number;
  photometric: string;
  black: readonly number[];
  /** True for pixels of one bit, which are packed again. */
  packs?: boolean;
}

/**
 * Blacks out rectangles in every frame of a DICOM file, or in the frames that they name. Samples outside of them keep their
 * values. Bits that are not part of a sample are cleared, and nothing behind the last frame is kept: both have held text.
 * Sends the facts of the pixels first, and then frame after frame: little endian, and interleaved.
 */
export async function blackOutDicom(
  file: Buffer,
  rectangles: readonly BlackRectangle[],
  sendFacts: (facts: PlainPixels) => Promise<void>,
  sendPart: SendPart,
): Promise<void> {
  const opened = openDicom(file);
  if (encapsulatedPdf(opened.set)) throw new Undrawable('a document');
  await loadCodecs();
  const film = openFilm(opened);
  const { rows, columns, samples } = film.pixels;
  const { count, values } = film.frames;
  if (values !== 'integer') throw new Undrawable('values with fractions');
  // A frame that is not drawn cannot be looked at.
  if (count !== (film.set.number(0x00280008, 'IS') ?? 1)) throw new Undrawable('frames are missing');
  let first: Plain | null = null;
  for (let frame = 0; frame < count; frame++) {
    const plain = plainOf(film, frame);
    const { bitsAllocated, bitsStored, photometric, black, bytes } = plain;
    if (!first) {
      first = plain;
      const length = (plain.packs ? bytes.length / 8 : bytes.length) * count;
      if (length > 0xfffffffe) throw new Undrawable('too many pixels');
      const lowest = film.pixels.signed && samples === 1 && bitsAllocated <= 16 ? black[0] : undefined;
      const bits = plain.packs ? 1 : bitsAllocated;
      await sendFacts({ length, bitsAllocated: bits, bitsStored, photometric, samples, padding: lowest });
    } else if (
      bitsAllocated !== first.bitsAllocated ||
      bitsStored !== first.bitsStored ||
      photometric !== first.photometric
    ) {
      throw new Undrawable('frames of different kinds');
    }
    const mine = rectangles.filter((one) => one.frame === undefined || one.frame === frame + 1);
    fill({ bytes, rows, columns, size: bitsAllocated / 8, black }, mine);
    await sendPart(first.packs ? packed(bytes) : bytes);
  }
}

/** Returns eight pixels of one bit in each byte, the first one lowest (PS3.5 §8.1.1). */
function packed(pixels: Buffer): Buffer {
  const bytes = Buffer.alloc(pixels.length / 8);
  for (const [i, bit] of pixels.entries()) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | ((bit & 1) << (i & 7));
  return bytes;
}

function plainOf(film: Film, frame: number): Plain {
  const { rows, columns, signed, highBit, bitsStored: stored, samples } = film.pixels;
  const decoded = decodedFrame(film, frame);
  const { photometric } = decoded;
  if (samples === 3) return coloursOf(decoded);
  const low = film.frames.encapsulated ? 0 : highBit + 1 - stored;
  const values = greys(decoded, signed, low);
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const { bitsStored } = decoded;
  const base = { bytes, bitsAllocated: values.BYTES_PER_ELEMENT * 8, bitsStored, photometric };
  if (photometric === 'PALETTE COLOR') return { ...base, black: [darkest(film)] };
  const span = 2 ** bitsStored;
  const lowest = signed ? -span / 2 : 0;
  const black = [photometric === 'MONOCHROME1' ? lowest + span - 1 : lowest];
  // Frames that end within a byte stay in bytes.
  return { ...base, black, packs: film.pixels.bitsAllocated === 1 && (rows * columns) % 8 === 0 };
}

/** Returns RGB, which every kind of file may have. YBR of more than 8 bits stays as it is. */
function coloursOf({ bytes: decoded, bitsAllocated, bitsStored, photometric }: Decoded): Plain {
  const bytes = Buffer.from(decoded);
  const base = { bytes, bitsAllocated, bitsStored };
  if (photometric.startsWith('YBR')) {
    const partial = photometric.startsWith('YBR_PARTIAL');
    if (bitsAllocated !== 8) {
      if (partial) throw new Undrawable('colours of an unknown kind');
      const middle = 2 ** (bitsStored - 1);
      return { ...base, photometric: 'YBR_FULL', black: [0, middle, middle] };
    }
    (partial ? rgbFromYbrPartial : rgbFromYbrFull)(bytes);
  }
  return { ...base, photometric: 'RGB', black: [0, 0, 0] };
}

/** Returns the index of the darkest colour of the palettes. */
function darkest(film: Film): number {
  const { first, colours } = palettesOf(film);
  const [red, green, blue] = colours;
  let [index, least] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < Math.min(red.length, green.length, blue.length); i++) {
    const sum = (red[i] ?? 0) + (green[i] ?? 0) + (blue[i] ?? 0);
    if (sum < least) [index, least] = [i, sum];
  }
  return first + index;
}

interface Picture {
  bytes: Buffer;
  rows: number;
  columns: number;
  /** Bytes of a sample. */
  size: number;
  black: readonly number[];
}

/** Fills rectangles of interleaved samples with black. */
export function fill({ bytes, rows, columns, size, black }: Picture, rectangles: readonly BlackRectangle[]): void {
  const pixel = Buffer.alloc(black.length * size);
  for (const [i, value] of black.entries()) {
    if (value < 0) pixel.writeIntLE(value, i * size, size);
    else pixel.writeUIntLE(value, i * size, size);
  }
  for (const { x0, y0, x1, y1 } of rectangles) {
    if (x0 >= Math.min(x1, columns) || y0 >= Math.min(y1, rows)) throw new Error('a rectangle outside of the picture');
    for (let y = y0; y < Math.min(y1, rows); y++) {
      const line = y * columns;
      bytes.fill(pixel, (line + x0) * pixel.length, (line + Math.min(x1, columns)) * pixel.length);
    }
  }
}

import { divideByEnds, divideFragments, endsImage } from '@lightbox/core/imaging/fragments.js';
import { type DataSet, PIXEL_DATA, type Range, Undrawable } from './dataSet.js';
import type { DicomFile } from './dicomFile.js';
import type { PixelModule } from './pixelModule.js';

const FLOAT_PIXEL_DATA = 0x7fe00008;
const DOUBLE_PIXEL_DATA = 0x7fe00009;
const EXTENDED_OFFSETS = 0x7fe00001;
const FRAMES = 100_000;

/** The places of all frames in the file. */
export interface Frames {
  encapsulated: boolean;
  /** Pixels of the kinds of PS3.3 §C.7.6.3 and §C.7.6.24. */
  values: 'integer' | 'float' | 'double';
  count: number;
  /** Returns the parts of a frame, from 0. For pixels of one bit the first and last byte may belong to other frames too. */
  parts: (frame: number) => readonly Range[];
}

/** Finds the frames of a file. Throws Undrawable when no frame is whole. */
export function findFrames(file: DicomFile, pixels: PixelModule): Frames {
  const { set } = file;
  const said = set.number(0x00280008, 'IS') ?? 1;
  if (!Number.isInteger(said) || said < 1 || said > FRAMES) throw new Undrawable('an impossible number of frames');
  const tag = [PIXEL_DATA, FLOAT_PIXEL_DATA, DOUBLE_PIXEL_DATA].find((candidate) => set.elements.has(candidate));
  const element = tag === undefined ? undefined : set.elements.get(tag);
  if (!element) throw new Undrawable('no pixel data');
  const values = tag === FLOAT_PIXEL_DATA ? 'float' : tag === DOUBLE_PIXEL_DATA ? 'double' : 'integer';
  // Integers of 64 bits would not fit into a number.
  if (values === 'integer' ? pixels.bitsAllocated > 32 : pixels.samples !== 1) throw new Undrawable('unknown bits');
  if (element.fragments) {
    const frames = encapsulated(file.bytes, set, element.fragments, said);
    return { encapsulated: true, values, count: frames.length, parts: (frame) => frames[frame] ?? [] };
  }
  const bits = pixels.rows * pixels.columns * bitsOfPixel(pixels);
  // A longer value is padded: its first bytes are the pixels. Of a shorter one the whole frames are drawn.
  const count = Math.min(said, Math.floor((element.length * 8) / bits));
  if (count < 1) throw new Undrawable('the pixel data are too short');
  const parts = (frame: number): readonly Range[] => {
    // PS3.5 §8.1.1: frames of one bit follow each other without padding.
    const first = Math.floor((frame * bits) / 8);
    return [[element.offset + first, Math.ceil(((frame + 1) * bits) / 8) - first]];
  };
  return { encapsulated: false, values, count, parts };
}

/** PS3.3 §C.7.6.3.1.2: in these two, two pixels share their two colour values. */
export const isHalved = ({ photometric, samples }: PixelModule): boolean =>
  samples === 3 && (photometric === 'YBR_FULL_422' || photometric === 'YBR_PARTIAL_422');

function bitsOfPixel(pixels: PixelModule): number {
  return isHalved(pixels) ? pixels.bitsAllocated * 2 : pixels.bitsAllocated * pixels.samples;
}

/** Divides the fragments of encapsulated pixel data among the frames. */
function encapsulated(bytes: Buffer, set: DataSet, items: readonly Range[], said: number): readonly Range[][] {
  const [table, ...fragments] = items;
  if (!table || fragments.length === 0) throw new Undrawable('no fragments');
  const part = ([offset, length]: Range) => bytes.subarray(offset, offset + length);
  const frames =
    divideFragments(fragments, said, { basic: part(table), extended: set.raw(EXTENDED_OFFSETS) }) ??
    divideByEnds(fragments, said, (fragment) => endsImage(part(fragment)));
  if (!frames) throw new Undrawable('the fragments cannot be divided among the frames');
  return frames;
}

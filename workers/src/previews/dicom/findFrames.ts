import { type DataSet, PIXEL_DATA, type Range, Undrawable } from './dataSet.js';
import type { DicomFile } from './dicomFile.js';
import type { PixelModule } from './pixelModule.js';

const FLOAT_PIXEL_DATA = 0x7fe00008;
const DOUBLE_PIXEL_DATA = 0x7fe00009;
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

/** Divides the fragments of encapsulated pixel data (PS3.5 §A.4) among the frames. */
function encapsulated(bytes: Buffer, set: DataSet, items: readonly Range[], said: number): Range[][] {
  const [table, ...fragments] = items;
  if (!table || fragments.length === 0) throw new Undrawable('no fragments');
  if (said === 1) return [fragments];
  const offsets = extendedOffsets(set, said) ?? basicOffsets(bytes, table, said);
  const byTable = offsets && divide(fragments, offsets);
  if (byTable) return byTable;
  if (fragments.length === said) return fragments.map((fragment) => [fragment]);
  return byEndOfImage(bytes, fragments, said);
}

function basicOffsets(bytes: Buffer, [offset, length]: Range, said: number): number[] | null {
  if (length < said * 4) return null;
  return Array.from({ length: said }, (_, frame) => bytes.readUInt32LE(offset + frame * 4));
}

/** PS3.3 §C.7.6.3.1.8 */
function extendedOffsets(set: DataSet, said: number): number[] | null {
  const raw = set.raw(0x7fe00001);
  if (!raw || raw.length < said * 8) return null;
  return Array.from({ length: said }, (_, frame) => Number(raw.readBigUInt64LE(frame * 8)));
}

/** Begins a frame at each offset, counted from the item of the first fragment. Null: an offset is not that of an item. */
function divide(fragments: readonly Range[], offsets: readonly number[]): Range[][] | null {
  const origin = (fragments[0]?.[0] ?? 0) - 8;
  const starts = new Set(offsets.map((offset) => origin + offset + 8));
  if (starts.size !== offsets.length) return null;
  const frames: Range[][] = [];
  for (const fragment of fragments) {
    if (starts.has(fragment[0])) frames.push([fragment]);
    else if (frames.length === 0) return null;
    else frames.at(-1)?.push(fragment);
  }
  return frames.length === offsets.length ? frames : null;
}

/** Without a table: a fragment that ends with the end of an image (JPEG, JPEG-LS, JPEG 2000) ends the frame. */
function byEndOfImage(bytes: Buffer, fragments: readonly Range[], said: number): Range[][] {
  const frames: Range[][] = [[]];
  for (const fragment of fragments) {
    const current = frames.at(-1) as Range[];
    current.push(fragment);
    if (endsImage(bytes.subarray(fragment[0], fragment[0] + fragment[1]))) frames.push([]);
  }
  const whole = frames.filter((frame) => frame.length > 0);
  if (whole.length < said) throw new Undrawable('the fragments cannot be divided among the frames');
  return whole.slice(0, said);
}

/** True when a stream ends with the marker EOI or EOC, FF D9, and at most one byte of padding. */
export const endsImage = (stream: Buffer): boolean => stream.subarray(-3).lastIndexOf(Buffer.from([0xff, 0xd9])) >= 0;

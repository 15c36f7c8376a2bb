import { CHUNK } from '@lightbox/core/blobs/cipher.js';
import { attributeOf, tagText } from '@lightbox/core/dicomWeb/attributes.js';
import { jsonOf } from '@lightbox/core/dicomWeb/json.js';
import { AppError } from '@lightbox/core/errors.js';
import { wordOf } from '@lightbox/core/imaging/byteOrder.js';
import { divideByEnds, divideFragments, endsImage, type Range } from '@lightbox/core/imaging/fragments.js';
import { type Head, readHead } from '@lightbox/core/imaging/head.js';
import type { Source } from '@lightbox/core/imaging/source.js';
import { LRUCache } from 'lru-cache';

/** The frames of a file as they are stored. */
export interface StoredFrames {
  encapsulated: boolean;
  /** Of big endian pixels: where they begin and end, and the bytes of a number, which change their places. */
  swap?: { origin: number; end: number; word: number };
  /** The parts of each frame, from 0, in the file, or in its unpacked data set. */
  frames: Range[][];
  /** Of a deflated data set: the place of its packed bytes in the file. */
  deflatedFrom?: number;
}

const ROWS = 0x00280010;
const COLUMNS = 0x00280011;
const SAMPLES = 0x00280002;
const BITS = 0x00280100;
const PHOTOMETRIC = 0x00280004;
const FRAMES = 0x00280008;
const EXTENDED_OFFSETS = 0x7fe00001;
const SHAPE = new Set([ROWS, COLUMNS, SAMPLES, BITS, PHOTOMETRIC, FRAMES]);
const vrs: Record<number, string> = { [SAMPLES]: 'US', [PHOTOMETRIC]: 'CS' };

const MOST_FRAMES = 100_000;
const MOST_FRAGMENTS = 1_000_000;

/** The places of frames of files that were read a moment ago. A viewer asks for one frame after the other. */
const known = new LRUCache<string, StoredFrames>({
  maxSize: 500_000,
  sizeCalculation: ({ frames }) => 1 + frames.reduce((sum, parts) => sum + parts.length, 0),
});

/** The files that are being read, so that requests that come together share one read. */
const underWay = new Map<string, Promise<StoredFrames>>();

/** Finds the frames of a file. `id` is that of its bytes, which never change. Throws `NO_FRAME` when there is none. */
export async function storedFrames(id: string, source: Source): Promise<StoredFrames> {
  const found = known.get(id) ?? underWay.get(id);
  if (found) return found;
  const made = make(id, source).finally(() => underWay.delete(id));
  underWay.set(id, made);
  return made;
}

async function make(id: string, source: Source): Promise<StoredFrames> {
  const made = await find(source, await readHead(source));
  known.set(id, made);
  return made;
}

async function find(source: Source, head: Head): Promise<StoredFrames> {
  const { pixels, encoding, deflatedFrom } = head;
  if (!pixels) throw new AppError('NO_FRAME');
  const shape = shapeOf(head);
  if (!Number.isInteger(shape.frames) || shape.frames < 1 || shape.frames > MOST_FRAMES) throw new AppError('NO_FRAME');
  if (pixels.length === null) {
    // A deflated data set has plain pixels (PS3.5 §A.5).
    if (deflatedFrom !== undefined) throw new AppError('NO_FRAME');
    return {
      encapsulated: true,
      frames: await encapsulated(source, pixels.from, shape.frames, extendedOffsets(head)),
    };
  }
  const bits = shape.bits;
  // Frames of one bit that end within a byte share it with the next one.
  if (!(bits > 0) || (bits % 8 !== 0 && shape.frames > 1)) throw new AppError('NO_FRAME');
  const length = Math.ceil(bits / 8);
  const count = Math.min(shape.frames, Math.floor(pixels.length / length));
  const frames = Array.from({ length: count }, (_, i): Range[] => [[pixels.from + i * length, length]]);
  // Pixels of 32 bits are numbers of 32 bits, also where the file calls them words.
  const word = encoding.big ? Math.max(wordOf(pixels.vr), shape.bitsAllocated / 8) : 1;
  const swap = word > 1 ? { swap: { origin: pixels.from, end: pixels.from + pixels.length, word } } : {};
  return { encapsulated: false, frames, ...swap, ...(deflatedFrom === undefined ? {} : { deflatedFrom }) };
}

/** Returns the number of frames, the bits of each, and those of a sample. */
function shapeOf({ bytes, elements, encoding }: Head): { frames: number; bits: number; bitsAllocated: number } {
  const wanted = elements.filter(({ tag }) => SHAPE.has(tag));
  const set = jsonOf(bytes, wanted, encoding, { vrOf: (tag) => vrs[tag] ?? attributeOf(tagText(tag))?.vr ?? 'UN' });
  const first = (tag: number) => set[tagText(tag)]?.Value?.[0];
  const number = (tag: number, absent: number) => Number(first(tag) ?? absent);
  // PS3.3 §C.7.6.3.1.2: two pixels share their two colour values.
  const halved = number(SAMPLES, 1) === 3 && /_422$/.test(String(first(PHOTOMETRIC) ?? ''));
  const samples = halved ? 2 : number(SAMPLES, 1);
  const bitsAllocated = number(BITS, 0);
  const bits = number(ROWS, 0) * number(COLUMNS, 0) * bitsAllocated * samples;
  return { frames: number(FRAMES, 1), bits, bitsAllocated };
}

function extendedOffsets({ bytes, elements }: Head): Buffer | null {
  const table = elements.find(({ tag }) => tag === EXTENDED_OFFSETS);
  return table ? bytes.subarray(table.from, table.to) : null;
}

async function encapsulated(source: Source, from: number, said: number, extended: Buffer | null): Promise<Range[][]> {
  const {
    items: [table, ...fragments],
    ends,
  } = await itemsOf(source, from);
  if (!table || fragments.length === 0) throw new AppError('NO_FRAME');
  const basic = await source.read(table[0], table[0] + Math.min(table[1], MOST_FRAMES * 4));
  const frames =
    divideFragments(fragments, said, { basic, extended }) ??
    divideByEnds(fragments, said, (fragment) => ends.has(fragment));
  if (!frames) throw new AppError('NO_FRAME');
  return frames;
}

/**
 * Follows the items of encapsulated pixel data (PS3.5 §A.4): the offset table, then the fragments. `ends`: those that end an
 * image. Their last bytes are read with the head of the next item: a read for each would open a chunk for every few bytes.
 */
async function itemsOf({ size, read }: Source, from: number): Promise<{ items: Range[]; ends: Set<Range> }> {
  const items: Range[] = [];
  const ends = new Set<Range>();
  let held: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) };
  for (let at = from; at + 8 <= size && items.length < MOST_FRAGMENTS; ) {
    const before = items.at(-1);
    const start = before ? Math.max(before[0], at - 3) : at;
    if (start < held.at || at + 8 > held.at + held.bytes.length) {
      // Up to the end of a chunk, which is opened as a whole.
      held = { at: start, bytes: await read(start, Math.min(size, Math.ceil((at + 8) / CHUNK) * CHUNK)) };
    }
    if (before && endsImage(held.bytes.subarray(start - held.at, at - held.at))) ends.add(before);
    const head = held.bytes.subarray(at - held.at);
    // An encapsulated data set is little endian (PS3.5 §A.4).
    const [element, length] = [head.readUInt16LE(2), head.readUInt32LE(4)];
    if (element === 0xe0dd) return { items, ends };
    if (element !== 0xe000) throw new AppError('NO_FRAME');
    items.push([at + 8, length]);
    at += 8 + length;
  }
  throw new AppError('NO_FRAME');
}

/** Offset and length in the bytes of the file. */
export type Range = readonly [offset: number, length: number];

/** The offset tables of encapsulated pixel data, as bytes: the basic one (PS3.5 §A.4), and the extended one (PS3.3 §C.7.6.3.1.8). */
export interface OffsetTables {
  basic: Buffer;
  extended: Buffer | null;
}

/**
 * Divides the fragments of encapsulated pixel data (PS3.5 §A.4) among the frames; null when neither a table nor the number
 * of fragments tells how.
 */
export function divideFragments(
  fragments: readonly Range[],
  frames: number,
  { basic, extended }: OffsetTables,
): Range[][] | null {
  if (frames === 1) return [[...fragments]];
  const offsets = extendedOffsets(extended, frames) ?? basicOffsets(basic, frames);
  const byTable = offsets && divide(fragments, offsets);
  if (byTable) return byTable;
  return fragments.length === frames ? fragments.map((fragment) => [fragment]) : null;
}

function basicOffsets(table: Buffer, frames: number): number[] | null {
  if (table.length < frames * 4) return null;
  return Array.from({ length: frames }, (_, frame) => table.readUInt32LE(frame * 4));
}

function extendedOffsets(table: Buffer | null, frames: number): number[] | null {
  if (!table || table.length < frames * 8) return null;
  return Array.from({ length: frames }, (_, frame) => Number(table.readBigUInt64LE(frame * 8)));
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

/**
 * Divides by the ends of images, where no table does: a fragment that ends with the end of an image (JPEG, JPEG-LS, JPEG
 * 2000) ends the frame. Null when there are fewer than the frames.
 */
export function divideByEnds(
  fragments: readonly Range[],
  frames: number,
  ends: (fragment: Range) => boolean,
): Range[][] | null {
  const found: Range[][] = [[]];
  for (const fragment of fragments) {
    found.at(-1)?.push(fragment);
    if (ends(fragment)) found.push([]);
  }
  const whole = found.filter((frame) => frame.length > 0);
  return whole.length < frames ? null : whole.slice(0, frames);
}

/** True when a stream ends with the marker EOI or EOC, FF D9, and at most one byte of padding. */
export const endsImage = (stream: Buffer): boolean => stream.subarray(-3).lastIndexOf(Buffer.from([0xff, 0xd9])) >= 0;

import { cannotDeidentify, type Pixels } from './elements.js';

/** The values of native pixels that have fewer bits than the space of each: bits `low` to `high` of `size` bytes. */
export interface Cells {
  size: number;
  low: number;
  high: number;
  signed: boolean;
  big: boolean;
}

/** Returns the number, or the text, of an element of the header. */
interface Header {
  number: (tag: number) => number | undefined;
  text: (tag: number) => string;
}

const PIXEL_DATA = 0x7fe00010;

/**
 * Returns the part of native pixel data that is pixels: their length, and the cells where bits beside the values exist. Text
 * and overlays have been behind the last frame and in these bits. Throws when the header does not tell.
 */
export function nativePixels(
  { tag, length }: Pixels & { length: number },
  header: Header,
  big: boolean,
): { length: number; cells?: Cells } {
  const { number, text } = header;
  const samples = number(0x00280002) ?? 1;
  const [rows = 0, columns = 0, allocated = 0] = [0x00280010, 0x00280011, 0x00280100].map(number);
  const frames = Number(text(0x00280008).trim() || 1);
  // PS3.3 §C.7.6.3.1.2: two pixels share their two colour values.
  const perPixel = samples === 3 && /_422$/.test(text(0x00280004)) ? 2 : samples;
  const bytes = Math.ceil((rows * columns * perPixel * allocated * frames) / 8);
  if (!Number.isSafeInteger(bytes) || bytes <= 0) throw cannotDeidentify();
  const whole = Math.min(length, bytes + (bytes % 2));
  const stored = number(0x00280101) ?? allocated;
  if (tag !== PIXEL_DATA || stored === allocated) return { length: whole };
  const high = number(0x00280102) ?? stored - 1;
  const cells = { size: allocated / 8, low: high + 1 - stored, high, signed: number(0x00280103) === 1, big };
  // Nothing says how four bytes follow each other in words whose highest byte is first.
  const known = [1, 2, 4].includes(cells.size) && !(big && cells.size === 4);
  if (!known || stored < 1 || cells.low < 0 || high >= allocated) throw cannotDeidentify();
  return { length: whole, cells };
}

/** Sets the bits beside each value: below it to zero, and above it to zero or, where values have a sign, to the sign. */
export function clearCells(bytes: Buffer, { size, low, high, signed, big }: Cells): Buffer {
  const above = 31 - high;
  const whole = bytes.length - (bytes.length % size);
  // Of a value that is cut off nobody can tell the sign.
  bytes.fill(0, whole);
  for (let at = 0; at < whole; at += size) {
    const top = (big ? bytes.readUIntBE(at, size) : bytes.readUIntLE(at, size)) << above;
    const value = (signed ? top >> (above + low) : top >>> (above + low)) << low;
    for (let i = 0; i < size; i++) bytes[at + (big ? size - 1 - i : i)] = value >>> (8 * i);
  }
  return bytes;
}

/** The same for bytes that arrive in parts, from the first byte of a cell on. */
export async function* clearedCells(parts: AsyncIterable<Buffer>, cells: Cells): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of parts) {
    const bytes = Buffer.concat([rest, part]);
    const whole = bytes.length - (bytes.length % cells.size);
    rest = bytes.subarray(whole);
    yield clearCells(bytes.subarray(0, whole), cells);
  }
  if (rest.length > 0) yield clearCells(rest, cells);
}

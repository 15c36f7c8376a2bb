import type { FrameFacts, LookupTable } from '@lightbox/contract/images/drawing.js';

/** The decoder returned something else than the frame that the facts describe. */
export class DamagedFrame extends Error {
  override readonly name = 'DamagedFrame';
}

/** No browser can draw more pixels in one picture. The server refuses such files too. */
const MOST_PIXELS = 100_000_000;

type Size = Pick<FrameFacts, 'rows' | 'columns'>;

/** Refuses a frame before memory is reserved for it. */
export function checkSize({ rows = 0, columns = 0 }: Size): void {
  if (rows < 1 || columns < 1 || rows * columns > MOST_PIXELS) {
    throw new DamagedFrame(`A frame of ${columns} × ${rows} pixels cannot be drawn.`);
  }
}

/**
 * Checks a decoded frame. Decoders accept damaged frames: garbage becomes a picture of 0 × 0, and a short frame becomes
 * a short array.
 */
export function checkDecoded(
  decoded: { width: number; height: number; components: number; length: number },
  { rows = 0, columns = 0 }: Size,
): void {
  const { width, height, components, length } = decoded;
  if (width !== columns || height !== rows) {
    throw new DamagedFrame(`The frame has ${width} × ${height} pixels in place of ${columns} × ${rows}.`);
  }
  if (length !== rows * columns * components) {
    throw new DamagedFrame(`The frame has ${length} values in place of ${rows * columns * components}.`);
  }
}

/** Refuses uncompressed bytes that are too short for the frame: they would be drawn with black rows. */
export function checkLength(
  bytes: number,
  { rows = 0, columns = 0, samplesPerPixel = 1, bitsAllocated = 8 }: Partial<FrameFacts>,
): void {
  const needed = Math.ceil((rows * columns * samplesPerPixel * bitsAllocated) / 8);
  if (bytes < needed) throw new DamagedFrame(`The frame has ${bytes} bytes in place of ${needed}.`);
}

/** Returns the bytes of base64. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Returns the entries of a table. They are little endian on every machine. */
export function entriesOf({ entries }: LookupTable): Uint16Array {
  const bytes = fromBase64(entries);
  const view = new DataView(bytes.buffer);
  return Uint16Array.from({ length: bytes.length >> 1 }, (_, i) => view.getUint16(i * 2, true));
}

/** Replaces each value by its entry. Values below the first entry get the first one, values above get the last one. */
export function throughTable(values: ArrayLike<number>, table: LookupTable): Uint16Array {
  const entries = entriesOf(table);
  const last = entries.length - 1;
  if (last < 0) throw new DamagedFrame('The look-up table is empty.');
  const out = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    out[i] = entries[Math.min(last, Math.max(0, (values[i] as number) - table.first))] as number;
  }
  return out;
}

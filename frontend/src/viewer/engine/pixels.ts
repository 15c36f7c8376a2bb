import type { Types } from '@cornerstonejs/core';
import type { Frame } from '@lightbox/contract/annotations/statistics.js';
import type { FrameFacts, LookupTable } from '@lightbox/contract/images/drawing.js';
import type { ValueRange } from '@lightbox/contract/images/voi.js';

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
function entriesOf({ entries }: LookupTable): Uint16Array {
  const bytes = fromBase64(entries);
  const view = new DataView(bytes.buffer);
  return Uint16Array.from({ length: bytes.length >> 1 }, (_, i) => view.getUint16(i * 2, true));
}

type Tables = Pick<FrameFacts, 'windows' | 'voiLuts' | 'modalityLut' | 'rescaleSlope' | 'rescaleIntercept'>;

/** The VOI LUT through which a picture is drawn; undefined where it has a window. */
export const voiLutOf = ({ windows, voiLuts }: Pick<Tables, 'windows' | 'voiLuts'>): LookupTable | undefined =>
  windows.length === 0 ? voiLuts?.[0] : undefined;

/** True when the rescale of a file makes fractions of the stored values. */
export const hasFractions = ({ modalityLut, rescaleSlope = 1, rescaleIntercept = 0 }: Tables): boolean =>
  !modalityLut && !(Number.isInteger(rescaleSlope) && Number.isInteger(rescaleIntercept));

/** Returns the values behind the modality LUT, or behind the rescale in its place. */
export function modalityValues(
  values: ArrayLike<number>,
  { modalityLut, rescaleSlope = 1, rescaleIntercept = 0 }: Tables,
): ArrayLike<number> {
  if (modalityLut) return throughTable(values, modalityLut);
  if (rescaleSlope === 1 && rescaleIntercept === 0) return values;
  return Float32Array.from(values, (value) => value * rescaleSlope + rescaleIntercept);
}

/** Returns the values that are drawn of a picture with tables: a VOI LUT takes those of the modality (PS3.3 §C.11.2). */
export function throughTables(values: ArrayLike<number>, facts: Tables): ArrayLike<number> {
  const voi = voiLutOf(facts);
  const ofModality = modalityValues(values, facts);
  return voi ? throughTable(ofModality, voi) : ofModality;
}

/** Replaces each value by its entry. Values below the first entry get the first one, values above get the last one. */
export function throughTable(values: ArrayLike<number>, table: LookupTable): Uint16Array {
  const entries = entriesOf(table);
  const last = entries.length - 1;
  if (last < 0) throw new DamagedFrame('The look-up table is empty.');
  const out = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    out[i] = entries[Math.min(last, Math.max(0, Math.round(values[i] as number) - table.first))] as number;
  }
  return out;
}

type Scaled = Pick<Types.IImage, 'minPixelValue' | 'maxPixelValue' | 'slope' | 'intercept' | 'preScale'>;

/** Returns the lowest and the highest value of a picture. Without WebGL the library keeps values with fractions as steps. */
export function extentOf({ minPixelValue, maxPixelValue, slope, intercept, preScale }: Scaled): ValueRange {
  if (preScale?.scaled) return { lower: minPixelValue, upper: maxPixelValue };
  return { lower: minPixelValue * slope + intercept, upper: maxPixelValue * slope + intercept };
}

type Padded = Pick<FrameFacts, 'pixelPaddingValue' | 'pixelPaddingRangeLimit' | 'rescaleSlope' | 'rescaleIntercept'>;

/**
 * Returns the lowest and the highest value of the modality without the padding (PS3.3 §C.7.5.1.1.2); undefined where the file
 * has no padding, or nothing else. `scaled`: the values are those behind the rescale already.
 */
export function extentWithoutPadding(
  values: ArrayLike<number>,
  { pixelPaddingValue, pixelPaddingRangeLimit, rescaleSlope = 1, rescaleIntercept = 0 }: Padded,
  scaled: boolean,
): ValueRange | undefined {
  if (pixelPaddingValue === undefined) return undefined;
  const behind = (value: number) => value * rescaleSlope + rescaleIntercept;
  // Values with fractions have the precision of their array.
  const ends = [pixelPaddingValue, pixelPaddingRangeLimit ?? pixelPaddingValue].map((end) =>
    scaled ? Math.fround(behind(end)) : end,
  );
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  let [lower, upper] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value >= first && value <= last) continue;
    if (value < lower) lower = value;
    if (value > upper) upper = value;
  }
  if (lower > upper) return undefined;
  const found = scaled ? [lower, upper] : [behind(lower), behind(upper)];
  return { lower: Math.min(...found), upper: Math.max(...found) };
}

/** The values of pictures that were drawn through a VOI LUT, as they were before it. */
const beforeVoi = new WeakMap<object, Frame>();

/** Keeps the values of the modality for measurements. They are made for the first one: most pictures are only looked at. */
export function keepBeforeVoi(image: Frame, make: () => ArrayLike<number>): void {
  const { rows, columns } = image;
  let values: ArrayLike<number> | undefined;
  beforeVoi.set(image, {
    rows,
    columns,
    getPixelData: () => {
      values ??= make();
      return values;
    },
  });
}

/** Returns a picture in grey with the values behind the modality LUT; undefined for a cut whose slices went through a VOI LUT. */
export const withModalityValues = (image: Frame, facts: Tables): Frame | undefined =>
  voiLutOf(facts) ? beforeVoi.get(image) : image;

import type { FrameFacts, LookupTable } from '@lightbox/contract/images/drawing.js';
import { levelIn, voiFunctionOf } from '@lightbox/contract/images/voi.js';
import type { FrameChoice } from '../protocol.js';
import { clamp } from './clamp.js';
import type { PlainFrame } from './plainFrame.js';

/** Everything that turns stored values into brightness (PS3.3 §C.11). */
export type GreyFacts = Pick<
  FrameFacts,
  | 'rescaleSlope'
  | 'rescaleIntercept'
  | 'modalityLut'
  | 'windows'
  | 'voiFunction'
  | 'voiLuts'
  | 'pixelPaddingValue'
  | 'pixelPaddingRangeLimit'
>;

type OfValue = (value: number) => number;

function tableOf({ first, entries }: LookupTable): OfValue {
  const bytes = Buffer.from(entries, 'base64');
  const last = bytes.length / 2 - 1;
  return (value) => bytes.readUInt16LE(Math.max(0, Math.min(last, Math.round(value) - first)) * 2);
}

/** Returns the function from stored values to those of the modality, which are Hounsfield units in a CT. */
export function modalityOf({ modalityLut, rescaleSlope = 1, rescaleIntercept = 0 }: GreyFacts): OfValue {
  return modalityLut ? tableOf(modalityLut) : (value) => value * rescaleSlope + rescaleIntercept;
}

export interface Range {
  min: number;
  max: number;
  mean: number;
}

/** Returns range and mean of the stored values, without the padding; null when a frame is nothing but padding. */
export function rangeOf(
  { pixels }: PlainFrame,
  { pixelPaddingValue, pixelPaddingRangeLimit }: GreyFacts,
): Range | null {
  const limit = pixelPaddingRangeLimit ?? pixelPaddingValue;
  const [low, high] = [
    Math.min(pixelPaddingValue ?? Number.POSITIVE_INFINITY, limit ?? Number.POSITIVE_INFINITY),
    Math.max(pixelPaddingValue ?? Number.NEGATIVE_INFINITY, limit ?? Number.NEGATIVE_INFINITY),
  ];
  let [min, max, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (const value of pixels) {
    if ((value >= low && value <= high) || Number.isNaN(value)) continue;
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
    count += 1;
  }
  return count > 0 ? { min, max, mean: sum / count } : null;
}

/** A window that was asked for. Without a function it has that of the file. */
export type ShownWindow = NonNullable<FrameChoice['window']>;

/** Returns the brightness of every pixel. `window` replaces the window of the file; `full` shows the whole range. */
export function brightness(
  frame: PlainFrame,
  facts: GreyFacts & { photometricInterpretation?: string | undefined },
  window?: ShownWindow | 'full',
): Uint8Array {
  const { pixels } = frame;
  const modality = modalityOf(facts);
  const voi = voiOf(frame, facts, modality, window);
  const inverted = facts.photometricInterpretation === 'MONOCHROME1';
  const shade: OfValue = (value) => {
    const level = clamp(voi(modality(value)));
    return inverted ? 255 - level : level;
  };
  if (pixels.BYTES_PER_ELEMENT > 2) return Uint8Array.from(pixels, shade);
  // Few values and many pixels: each value is calculated once.
  const shades = new Uint8Array(65_536);
  const known = new Uint8Array(65_536);
  const out = new Uint8Array(pixels.length);
  for (let i = 0; i < pixels.length; i++) {
    const value = pixels[i] as number;
    const at = value & 0xffff;
    if (known[at] === 0) {
      shades[at] = shade(value);
      known[at] = 1;
    }
    out[i] = shades[at] as number;
  }
  return out;
}

function voiOf(frame: PlainFrame, facts: GreyFacts, modality: OfValue, window?: ShownWindow | 'full'): OfValue {
  const [table] = facts.voiLuts ?? [];
  const [first] = facts.windows;
  const chosen = window ?? first;
  if (chosen && chosen !== 'full') {
    const asked = window && window !== 'full' ? window.voiFunction : undefined;
    const level = levelIn(chosen, asked ?? voiFunctionOf(facts));
    return (value) => level(value) * 255;
  }
  if (table && chosen !== 'full') {
    const entry = tableOf(table);
    return (value) => (entry(value) / (2 ** table.bits - 1)) * 255;
  }
  const range = rangeOf(frame, facts);
  if (!range) return () => 0;
  const [a, b] = [modality(range.min), modality(range.max)];
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  // A flat picture is grey.
  return high === low ? () => 128 : (value) => ((value - low) / (high - low)) * 255;
}

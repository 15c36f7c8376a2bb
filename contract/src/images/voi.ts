import type { FrameFacts, voiFunctions, Window } from './drawing.js';

export type VoiFunction = (typeof voiFunctions)[number];

/** The values at the ends of a window: up to `lower` a picture is black, and from `upper` on it is white. */
export interface ValueRange {
  lower: number;
  upper: number;
}

/** Returns the function of the windows of a file or frame. It belongs to them: any other window of a picture is linear. */
export const voiFunctionOf = ({ windows, voiFunction }: Pick<FrameFacts, 'windows' | 'voiFunction'>): VoiFunction =>
  (windows.length > 0 && voiFunction) || 'LINEAR';

/** A range without an extent is ignored by the graphics card, which then draws the window before. Values with fractions are small. */
export const LEAST_EXTENT = 1e-6;

type Bounds = Pick<Window, 'center' | 'width'>;

/**
 * Returns the range of a window (PS3.3 §C.11.2.1.2, §C.11.2.1.3). A curve has no ends: its range is that of the exact linear
 * function, whose middle it shares.
 */
export function rangeOf({ center, width }: Bounds, by: VoiFunction): ValueRange {
  const [middle, extent] = by === 'LINEAR' ? [center - 0.5, width - 1] : [center, width];
  const lower = middle - Math.max(0, extent) / 2;
  return { lower, upper: lower + Math.max(LEAST_EXTENT, extent) };
}

/** The opposite of `rangeOf`. */
export function windowOf({ lower, upper }: ValueRange, by: VoiFunction): { center: number; width: number } {
  const [middle, extent] = [(lower + upper) / 2, upper - lower];
  return by === 'LINEAR' ? { center: middle + 0.5, width: extent + 1 } : { center: middle, width: extent };
}

/** Returns the function from values to brightness, in which 0 is black and 1 is white. Further values are these two. */
export function levelIn(window: Bounds, by: VoiFunction): (value: number) => number {
  const { center, width } = window;
  if (by === 'SIGMOID') return (value) => 1 / (1 + Math.exp((-4 * (value - center)) / width));
  const { lower, upper } = rangeOf(window, by);
  return (value) => Math.min(1, Math.max(0, (value - lower) / (upper - lower)));
}

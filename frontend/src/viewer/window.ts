import { rounded } from '@lightbox/contract/annotations/measuring.js';
import { LEAST_EXTENT, rangeOf, type ValueRange, type VoiFunction } from '@lightbox/contract/images/voi.js';
import type { Shown } from './shown';

/** The grey values that a picture shows: those around the center, as many as the width. */
export interface Window {
  center: number;
  width: number;
}

/**
 * Returns the window after a drag by some CSS pixels: to the right it becomes wider, downwards the picture becomes darker.
 * A drag over 1,024 pixels goes through all values of the picture. A narrow window changes by at most one percent for
 * each pixel, so that it does not collapse.
 */
export function dragged(
  { center, width }: Window,
  [right, down]: readonly [number, number],
  values: ValueRange,
): Window {
  const step = Math.min((values.upper - values.lower || 1) / 1_024, width / 100);
  return { center: center + down * step, width: width * Math.exp((right * step) / width) };
}

/** The extent from which on a window is told, set and limited in whole numbers. Values with fractions may be small. */
const WHOLE = 10;
export const isWhole = (extent: number) => extent >= WHOLE;

/** Returns how many values lie between black and white. */
export function extentOfWindow(window: Window, by: VoiFunction): number {
  const { lower, upper } = rangeOf(window, by);
  return upper - lower;
}

/** Returns a window with the digits that make a difference on screen: at least a thousandth of its extent. */
export function tidyWindow(window: Window, by: VoiFunction): Window {
  const extent = extentOfWindow(window, by);
  // A window of black and white alone is drawn with an extent that it does not have.
  const told = extent > 2 * LEAST_EXTENT ? extent : Math.max(window.width, LEAST_EXTENT);
  const digits = isWhole(told) ? 2 : 3 + Math.ceil(-Math.log10(told));
  return { center: Number(window.center.toFixed(digits)), width: Number(window.width.toFixed(digits)) };
}

type Windowed = Pick<Shown, 'center' | 'width' | 'voiFunction' | 'range'>;

/** Returns a value of the window of a pane as people read it. */
export const windowValue = (value: number, shown: Windowed): number =>
  isWhole(extentOfWindow(shown, shown.voiFunction)) ? rounded(value) : value;

type Limits = readonly [min: number, max: number];

/** Returns the limits between which a person sets the width of a window. */
export function widthLimits({ range, width, voiFunction }: Windowed): Limits {
  const span = range ? range.upper - range.lower || 1 : 1;
  if (isWhole(span)) return [1, Math.max(Math.ceil(span * 1.2), Math.ceil(width))];
  const [least, most] = voiFunction === 'LINEAR' ? [1, 1 + span * 1.2] : [span / 1_000, span * 1.2];
  return [Math.min(least, width), Math.max(most, width)];
}

/** Returns the limits between which a person sets the center of a window. */
export function centerLimits({ range = { lower: 0, upper: 1 }, center, voiFunction }: Windowed): Limits {
  if (isWhole(range.upper - range.lower))
    return [Math.min(range.lower, Math.floor(center)), Math.max(range.upper, Math.ceil(center))];
  const shift = voiFunction === 'LINEAR' ? 0.5 : 0;
  return [Math.min(range.lower + shift, center), Math.max(range.upper + shift, center)];
}

/** Returns the step of a slider between two limits. */
export const stepBetween = ([min, max]: Limits): number =>
  isWhole(max - min) ? Math.max(1, Math.round((max - min) / 1_000)) : (max - min) / 1_000;

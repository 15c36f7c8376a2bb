/** The grey values that a picture shows: those around the center, as many as the width. */
export interface Window {
  center: number;
  width: number;
}

/** The lowest value that is not black, and the highest that is not white. */
export interface ValueRange {
  lower: number;
  upper: number;
}

/** A range without an extent is ignored by the graphics card, which then draws the window before. */
const LEAST_EXTENT = 0.002;

/** Returns the range of a window, by the linear function of DICOM (PS3.3 §C.11.2.1.2). A width under 1 becomes 1. */
export function rangeOf({ center, width }: Window): ValueRange {
  const extent = Math.max(LEAST_EXTENT, width - 1);
  const middle = center - 0.5;
  return { lower: middle - extent / 2, upper: middle + extent / 2 };
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

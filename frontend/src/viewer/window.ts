import type { ValueRange } from '@lightbox/contract/images/voi.js';

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

import type { Pane } from './engine';
import type { ActName } from './keys';

/** The acts that change the picture of a pane alone. */
export const paneActs = (pane: Pane | undefined, frames: number): Partial<Record<ActName, () => void>> => ({
  invert: () => pane?.invert(),
  rotate: () => pane?.rotate(90),
  rotateBack: () => pane?.rotate(270),
  flip: () => pane?.flip(),
  flipVertical: () => pane?.flipVertical(),
  zoomIn: () => pane?.zoomBy(1.25),
  zoomOut: () => pane?.zoomBy(0.8),
  fit: () => pane?.fit(),
  reset: () => pane?.reset(),
  next: () => pane?.scroll(1),
  previous: () => pane?.scroll(-1),
  forward: () => pane?.scroll(10),
  back: () => pane?.scroll(-10),
  first: () => pane?.goTo(0),
  last: () => pane?.goTo(frames - 1),
});

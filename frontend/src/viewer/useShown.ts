import { useSyncExternalStore } from 'react';
import type { Pane } from './engine';
import { nothingShown, type Shown } from './shown';

/** Returns what a pane shows at this moment. */
export const shownIn = (pane: Pane | undefined): Shown => pane?.snapshot() ?? nothingShown;

const noChange = () => () => {};

/**
 * Returns one fact of a pane, and renders again only when this fact changes. A pane changes with each frame, thirty
 * times in a second: components that show little and have no style read the facts that follow the frame.
 */
export const useShown = <T extends string | number | boolean | object | undefined>(
  pane: Pane | undefined,
  select: (shown: Shown) => T,
): T => useSyncExternalStore(pane?.subscribe ?? noChange, () => select(shownIn(pane)));

/** A text about a pane. It renders again alone, without the styled element around it. */
export const Live = ({ pane, text }: { pane: Pane | undefined; text: (shown: Shown) => string }) =>
  useShown(pane, text);

import type { Pane } from './engine';

/** The element of a pane that takes the focus. The keys of the viewer work in its screen alone, not on the page around. */
export const focusableOf = (pane: Pane | undefined): HTMLElement | null => pane?.element.parentElement ?? null;

/** Gives the focus to a pane when the part that has it goes. Otherwise it would be nowhere, and the keys would be dead. */
export const focusPane = (pane: Pane | undefined) => focusableOf(pane)?.focus({ preventScroll: true });

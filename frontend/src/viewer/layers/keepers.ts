import { askBeforeLeaving } from '../../lib/leaving';
import { holdPrivate } from '../../lib/private';
import type { Keeper } from './keeper';

/** The keepers of the images, by the id of the image. One with unsaved marks outlives its screen. */
export const keepers = new Map<string, Keeper>();
const listeners = new Set<() => void>();

/** Calls the listener when a keeper changes. Returns how to stop. */
export function watchKeepers(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const keeperChanged = () => {
  for (const listener of listeners) listener();
};

export function forget(id: string, keeper: Keeper) {
  keeper.end();
  if (keepers.get(id) === keeper) keepers.delete(id);
}

holdPrivate(() => {
  for (const [id, keeper] of keepers) forget(id, keeper);
});
const saveAll = () => {
  for (const keeper of keepers.values()) void keeper.flush();
};
window.addEventListener('online', saveAll);
// A phone does not ask before it ends a page. It hides the page first.
window.addEventListener('pagehide', saveAll);
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && saveAll());
askBeforeLeaving(() => [...keepers.values()].some(({ state }) => state === 'saving' || state === 'waiting'));

import { useSyncExternalStore } from 'react';

/** True when a media query matches now. Without `matchMedia` (tests) the result is `otherwise`. */
export function useMedia(query: string, otherwise = true): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia?.(query);
      list?.addEventListener('change', changed);
      return () => list?.removeEventListener('change', changed);
    },
    () => window.matchMedia?.(query).matches ?? otherwise,
  );
}

/** True from 1024 px on: the desktop layout. */
export const useIsDesktop = () => useMedia('(min-width: 1024px)');
/** True from 1280 px on: a table of six columns fits beside the menu. */
export const useIsLarge = () => useMedia('(min-width: 1280px)');
/** True from 768 px on; below that, tables become cards. */
export const useIsWide = () => useMedia('(min-width: 768px)');

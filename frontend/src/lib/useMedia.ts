import { useSyncExternalStore } from 'react';

/** Whether a media query matches now; where there is no screen to ask (tests), the given answer. */
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

/** The layout switches at 1024 px; tables become cards below 768 px. */
export const useIsDesktop = () => useMedia('(min-width: 1024px)');
export const useIsWide = () => useMedia('(min-width: 768px)');

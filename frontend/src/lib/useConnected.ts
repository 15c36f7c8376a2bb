import { useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';
import { socketAtom } from './connection';

/** False while the browser itself knows that it has no network. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      window.addEventListener('online', changed);
      window.addEventListener('offline', changed);
      return () => {
        window.removeEventListener('online', changed);
        window.removeEventListener('offline', changed);
      };
    },
    () => navigator.onLine,
  );

/**
 * True while news of others arrive here. Every place that shows who is present asks this first. The browser knows at once
 * that its network is gone; the socket notices only when the server's next sign of life stays away.
 */
export function useConnected(): boolean {
  const online = useOnline();
  return useAtomValue(socketAtom) === 'on' && online;
}

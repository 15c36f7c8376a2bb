import { useEffect } from 'react';
import { matchPath, useLocation } from 'react-router-dom';
import { paths } from '../../lib/paths';

const key = 'registration';

/** Stores the values in this tab for Back and reload. */
export const keepDraft = (draft: { values: object; step: number }) =>
  sessionStorage.setItem(key, JSON.stringify(draft));

export const storedDraft = () => sessionStorage.getItem(key);

export const dropDraft = () => sessionStorage.removeItem(key);

/**
 * Deletes the draft on every screen but that of the registration: the next person at this device must not find it. A
 * reload shows the registration again, and keeps it.
 */
export function useDraftEnds() {
  const { pathname } = useLocation();
  useEffect(() => {
    if (!matchPath(paths.register, pathname)) dropDraft();
  }, [pathname]);
}

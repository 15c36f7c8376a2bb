import { atom, useSetAtom } from 'jotai';
import { useEffect } from 'react';

/** A view that takes the whole phone (an open conversation): the shell leaves its bars away. */
export const bareAtom = atom(false);

export function useBare(bare: boolean) {
  const set = useSetAtom(bareAtom);
  useEffect(() => {
    set(bare);
    return () => set(false);
  }, [bare, set]);
}

import { atom, useSetAtom } from 'jotai';
import { useEffect } from 'react';

/** True while a view uses the whole screen of a phone (an open conversation): the shell hides its bars. */
export const bareAtom = atom(false);

export function useBare(bare: boolean) {
  const set = useSetAtom(bareAtom);
  useEffect(() => {
    set(bare);
    return () => set(false);
  }, [bare, set]);
}

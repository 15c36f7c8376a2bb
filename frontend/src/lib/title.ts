import { atom } from 'jotai';

/** What waits to be read, in front of every title: "(3) Messages". */
export const titleCountAtom = atom(0);

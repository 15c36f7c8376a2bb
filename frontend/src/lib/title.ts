import { atom } from 'jotai';

/** The number of unread messages, shown in front of every tab title: "(3) Messages". */
export const titleCountAtom = atom(0);

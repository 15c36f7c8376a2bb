import { atom } from 'jotai';

/** Whether the socket is on; apart from it, so that a screen without a session need not load it. */
export const socketAtom = atom<'off' | 'connecting' | 'on'>('off');

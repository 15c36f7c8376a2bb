import { atom } from 'jotai';

/** The state of the socket. It has its own file, so that screens without a session do not load the socket's code. */
export const socketAtom = atom<'off' | 'connecting' | 'on'>('off');

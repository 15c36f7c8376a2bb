import { atom } from 'jotai';
import { socketAtom } from '../lib/connection';
import { emit } from '../lib/socket';
import { store } from '../lib/store';

const tellEvery = 3_000;
const lasts = 5_000;

/** The people who are typing to the viewer, each with the time at which the note expires. */
export const typingAtom = atom<Record<string, number>>({});

export function typingFrom(userId: string, now = Date.now()) {
  store.set(typingAtom, { ...store.get(typingAtom), [userId]: now + lasts });
  setTimeout(() => {
    if ((store.get(typingAtom)[userId] ?? 0) <= Date.now()) stoppedTyping(userId);
  }, lasts + 20);
}

export function stoppedTyping(userId: string) {
  const { [userId]: until, ...others } = store.get(typingAtom);
  if (until !== undefined) store.set(typingAtom, others);
}

const told = new Map<string, number>();

/** Reports that the viewer is typing, at most every three seconds and only while connected. */
export function tellTyping(userId: string, now = Date.now()) {
  if (store.get(socketAtom) !== 'on' || now - (told.get(userId) ?? 0) < tellEvery) return;
  told.set(userId, now);
  emit('typing', { userId }).catch(() => {});
}

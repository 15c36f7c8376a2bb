import { atom } from 'jotai';
import { socketAtom } from '../lib/connection';
import { holdPrivate } from '../lib/private';
import { emit } from '../lib/socket';
import { store } from '../lib/store';

const sendEvery = 3_000;
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

const lastSent = new Map<string, number>();

holdPrivate(() => {
  store.set(typingAtom, {});
  lastSent.clear();
});

/** Reports that the viewer is typing, at most every three seconds and only while connected. */
export function reportTyping(userId: string, now = Date.now()) {
  if (store.get(socketAtom) !== 'on' || now - (lastSent.get(userId) ?? 0) < sendEvery) return;
  lastSent.set(userId, now);
  emit('typing', { userId }).catch(() => {});
}

import { limits } from '@lightbox/contract/limits.js';
import { atom } from 'jotai';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';
import { device } from './device';

const laterKey = 'push.later';

/** Whether the question is on the screen. */
export const offerAtom = atom(false);

const askedLately = () =>
  Date.now() - Number(localStorage.getItem(laterKey) ?? 0) < limits.pushAskAgainDays * 86_400_000;

/** "Not now", for a good while. */
export function putOff() {
  localStorage.setItem(laterKey, String(Date.now()));
  store.set(offerAtom, false);
}

/**
 * After somebody shared or wrote: now they wait for something. Only in a browser that was never asked its own question,
 * whatever it answered.
 */
export async function offerDevice(): Promise<void> {
  if (store.get(offerAtom) || askedLately() || !('Notification' in window)) return;
  if (Notification.permission !== 'default') return;
  const state = await queryClient.fetchQuery(device).catch(() => undefined);
  if (state === 'off') store.set(offerAtom, true);
}

import { limits } from '@lightbox/contract/limits.js';
import { atom } from 'jotai';
import { session } from '../auth/session';
import { holdPrivate } from '../lib/private';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';
import { DAY_MS } from '../lib/times';
import { device } from './device';

const laterKey = 'push.later';

/** True while the offer is on the screen. */
export const offerAtom = atom(false);
holdPrivate(() => store.set(offerAtom, false));

const askedLately = () => Date.now() - Number(localStorage.getItem(laterKey) ?? 0) < limits.pushAskAgainDays * DAY_MS;

/** Hides the offer for `limits.pushAskAgainDays`. */
export function putOff() {
  localStorage.setItem(laterKey, String(Date.now()));
  store.set(offerAtom, false);
}

/**
 * Shows the offer after the person shared an image or sent a message, because now they wait for an answer. Only if the
 * browser has not stored a permission yet, neither granted nor denied.
 */
export async function offerDevice(): Promise<void> {
  if (store.get(offerAtom) || askedLately() || !('Notification' in window)) return;
  if (Notification.permission !== 'default') return;
  const { user } = session();
  const state = await queryClient.fetchQuery(device).catch(() => undefined);
  if (state === 'off' && session().user?.id === user?.id) store.set(offerAtom, true);
}

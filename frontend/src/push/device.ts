import type { BodyInput } from '@lightbox/contract/call.js';
import { pushCalls } from '@lightbox/contract/push/calls.js';
import { queryOptions } from '@tanstack/react-query';
import { type EndReason, endedAtom, session } from '../auth/session';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';

/** The state of notifications in this browser. */
export type DeviceState = 'on' | 'off' | 'blocked' | 'unsupported' | 'notOffered';

/** The id of the person whose notifications this browser gets. The push service of the browser knows no accounts. */
const ownerKey = 'push.owner';
const owner = () => localStorage.getItem(ownerKey);

const serverKey = queryOptions({
  queryKey: ['push', 'key'],
  queryFn: async ({ signal }) => (await send(pushCalls.getPushKey, {}, { signal })).data.key,
  staleTime: Number.POSITIVE_INFINITY,
});

export const device = queryOptions({
  queryKey: ['push', 'device'],
  queryFn: readState,
  // The person may have changed the permission in the browser's settings.
  refetchOnWindowFocus: 'always',
});

async function registered(): Promise<ServiceWorkerRegistration | undefined> {
  const able = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  return able ? navigator.serviceWorker.getRegistration() : undefined;
}

async function readState(): Promise<DeviceState> {
  const registration = await registered();
  if (!registration) return 'unsupported';
  if (!(await queryClient.fetchQuery(serverKey))) return 'notOffered';
  if (Notification.permission === 'denied') return 'blocked';
  const subscription = await registration.pushManager.getSubscription();
  return subscription && owner() === session().user?.id ? 'on' : 'off';
}

/** Asks for the browser's permission and subscribes. Call it on a click only. Returns the new state. */
export async function turnOn(): Promise<DeviceState> {
  try {
    if ((await Notification.requestPermission()) === 'granted') await subscribe();
  } finally {
    await reread(queryClient, device.queryKey);
  }
  return queryClient.fetchQuery({ ...device, staleTime: 0 });
}

export async function turnOff(): Promise<void> {
  const subscription = await (await registered())?.pushManager.getSubscription();
  // If the server cannot be reached now, the push service later reports to it that the subscription is gone.
  if (subscription) {
    await send(pushCalls.unsubscribePush, { body: { endpoint: subscription.endpoint } }).catch(() => undefined);
  }
  await forget();
  await reread(queryClient, device.queryKey);
}

async function subscribe(): Promise<void> {
  const [registration, key, me] = [await registered(), await queryClient.fetchQuery(serverKey), session().user?.id];
  if (!registration || !key || !me) return;
  const before = await registration.pushManager.getSubscription();
  // The server has a new key: a subscription with the old key would get no more notifications.
  if (before && keyOf(before) !== key) await before.unsubscribe();
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  try {
    await send(pushCalls.subscribePush, { body: asBody(subscription) }, { background: true });
    localStorage.setItem(ownerKey, me);
  } catch (error) {
    if (owner() !== me) await subscription.unsubscribe();
    throw error;
  }
}

const keyOf = ({ options }: PushSubscription): string =>
  btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

function asBody(subscription: PushSubscription): BodyInput<typeof pushCalls.subscribePush> {
  const { endpoint, expirationTime, keys } = subscription.toJSON();
  return {
    endpoint: endpoint ?? '',
    expirationTime: expirationTime ? Math.floor(expirationTime) : null,
    keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
  };
}

/**
 * Ends the subscription in this browser, also when the server still stores it, and closes what the device still shows: a
 * click would lead the next person to a record of the last one.
 */
async function forget(): Promise<void> {
  localStorage.removeItem(ownerKey);
  const registration = await registered();
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/**
 * Moves the subscription of this browser to the new session after a sign-in. The subscription of another person is
 * ended, because the new person did not ask for notifications.
 */
export async function claimDevice(): Promise<void> {
  if (!owner()) return;
  if (owner() !== session().user?.id) return forget();
  const registration = await registered();
  if (registration && Notification.permission === 'granted') await subscribe();
}

/** After these ends of a session the device still gets notifications; after a sign-out or any other end it does not. */
const endsWithNotifications: (EndReason | undefined)[] = [undefined, 'idle', 'expired'];

store.sub(endedAtom, () => {
  if (!endsWithNotifications.includes(store.get(endedAtom)) && owner()) void forget().catch(() => undefined);
});

import type { BodyInput } from '@lightbox/contract/call.js';
import { pushCalls } from '@lightbox/contract/push/calls.js';
import { queryOptions } from '@tanstack/react-query';
import { type EndReason, endedAtom, session } from '../auth/session';
import { send } from '../lib/http';
import { reread } from '../lib/live';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';

/** How it stands with notifications in this browser. */
export type DeviceState = 'on' | 'off' | 'blocked' | 'unsupported' | 'notOffered';

/** Whose notifications this browser gets: its push service knows no accounts. */
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
  // The person may have been in the browser's settings.
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

/** Asks the browser's own question, so only ever on a click. Says how it stands afterwards. */
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
  // A server that cannot be reached learns from the push service that the browser is gone.
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
  // The server signs with another key by now: what was asked for with the old one is never heard again.
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

/** This browser is notified no more, whatever the server still knows. */
async function forget(): Promise<void> {
  localStorage.removeItem(ownerKey);
  await (await (await registered())?.pushManager.getSubscription())?.unsubscribe();
}

/**
 * After a sign-in: the subscription belongs to this session from now on. Somebody else's, on the same browser, is not
 * passed on but ended: the next person has not asked for anything.
 */
export async function claimDevice(): Promise<void> {
  if (!owner()) return;
  if (owner() !== session().user?.id) return forget();
  const registration = await registered();
  if (registration && Notification.permission === 'granted') await subscribe();
}

/** A session that went quiet may still tell that something is new; one that was ended on purpose may not. */
const quiet: (EndReason | undefined)[] = [undefined, 'idle', 'expired'];

store.sub(endedAtom, () => {
  if (!quiet.includes(store.get(endedAtom)) && owner()) void forget().catch(() => undefined);
});

import type { Success } from '@lightbox/contract/envelope.js';
import { type Notification, notificationCalls } from '@lightbox/contract/notifications/calls.js';
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { atom } from 'jotai';
import { session } from '../auth/session';
import { attentive } from '../lib/attention';
import { coalesce } from '../lib/coalesce';
import { send } from '../lib/http';
import { change, reread } from '../lib/live';
import { holdPrivate } from '../lib/private';
import { queryClient } from '../lib/query';
import { Recent } from '../lib/recent';
import type { SocketRows } from '../lib/socket';
import { store } from '../lib/store';
import { tabs } from '../lib/tabs';
import { addressOf } from './places';

type Page = Success<Notification[]>;
export type Notices = InfiniteData<Page, unknown>;

const listKey = ['notifications', 'list'] as const;
const unreadKey = ['notifications', 'unread'] as const;
const pageSize = 20;

export const notices = infiniteQueryOptions({
  queryKey: listKey,
  queryFn: ({ pageParam, signal }) =>
    send(
      notificationCalls.listNotifications,
      { query: { limit: pageSize, ...(pageParam && { cursor: pageParam }) } },
      { signal },
    ),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ pagination }: Page) => (pagination?.hasNextPage ? pagination.nextCursor : undefined),
});

/** The number of unread notifications, which the server counts. The page size is one, because only the total is used. */
export const unreadNotices = queryOptions({
  queryKey: unreadKey,
  queryFn: async ({ signal }) => {
    const query = { unread: 'true' as const, limit: 1 };
    const { pagination } = await send(notificationCalls.listNotifications, { query }, { signal });
    return pagination?.totalItems ?? 0;
  },
});

/** Returns all loaded notifications without duplicates. A new one shifts the others, so two pages may share one. */
export const allOf = (held: Notices) => [
  ...new Map(held.pages.flatMap(({ data }) => data).map((notice) => [notice.id, notice])).values(),
];

const eachPage = (held: Notices, change: (data: Notification[], index: number) => Notification[]): Notices => ({
  ...held,
  pages: held.pages.map((page, index) => ({ ...page, data: change(page.data, index) })),
});

const withNotice = (held: Notices, notice: Notification) =>
  allOf(held).some(({ id }) => id === notice.id)
    ? held
    : eachPage(held, (data, index) => (index === 0 ? [notice, ...data] : data));

/** Marks one notification as read, or all without an id. */
const withRead = (held: Notices, id: string | undefined, at: string) =>
  eachPage(held, (data) =>
    data.map((notice) => (!notice.readAt && (!id || notice.id === id) ? { ...notice, readAt: at } : notice)),
  );

/** True when this address shows the very record of the notification. A list or a queue of records does not. */
export function showsRecord(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  notice: Notification,
): boolean {
  const address = new URL(addressOf(notice), location.origin);
  const ids = [notice.recordId, notice.studyId].filter((id) => id !== undefined);
  if (!ids.some((id) => address.href.includes(id))) return false;
  const shown = new URLSearchParams(search);
  return pathname === address.pathname && [...address.searchParams].every(([key, value]) => shown.get(key) === value);
}

/** True when the viewer is looking at the record of the notification, which shows the change itself. */
const onScreen = (notice: Notification) => attentive() && showsRecord(location, notice);

/** Changes the count of unread ones. A fresh answer may have counted the change already, so it is requested again. */
const recount = (cache: QueryClient, to: (count: number) => number) =>
  change<number>(cache, unreadKey, (count, fresh) => (fresh ? undefined : to(count)));

const rereadAll = (cache: QueryClient) => void reread(cache, ['notifications']);

/**
 * The newest notification. The bell takes it, and shows a toast if its list is closed. Screens without a bell leave it.
 */
export const arrivedAtom = atom<Notification | undefined>(undefined);

const seen = new Recent();
holdPrivate(() => {
  seen.clear();
  store.set(arrivedAtom, undefined);
});

function takeNotice(cache: QueryClient, notice: Notification) {
  const held = cache.getQueryData<Notices>(listKey);
  if (seen.has(notice.id) || (held && allOf(held).some(({ id }) => id === notice.id))) return;
  seen.add(notice.id);
  change<Notices>(cache, listKey, (now) => withNotice(now, notice));
  if (!notice.readAt) recount(cache, (count) => count + 1);
}

const notifyTabs = tabs<string>('notices', (owner) => {
  if (owner === session().user?.id) rereadAll(queryClient);
});

function readHere(cache: QueryClient, id: string | undefined) {
  const at = new Date().toISOString();
  const held = cache.getQueryData<Notices>(listKey);
  const wasUnread = !held || !id || allOf(held).some((notice) => notice.id === id && !notice.readAt);
  change<Notices>(cache, listKey, (now) => withRead(now, id, at));
  if (wasUnread) recount(cache, (count) => (id ? Math.max(0, count - 1) : 0));
}

const sendRead = (id: string | undefined) =>
  id
    ? send(notificationCalls.readNotification, { params: { id }, body: {} })
    : send(notificationCalls.readAllNotifications, { body: {} });

/** Marks one notification as read, or all: at once in the cache, and undone if the server refuses. */
export function useRead() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string | undefined) => sendRead(id),
    onMutate: (id) => readHere(cache, id),
    onSuccess: () => {
      // A count that was requested meanwhile may be older than this change.
      void reread(cache, unreadKey);
      notifyTabs(session().user?.id ?? '');
    },
    onError: () => rereadAll(cache),
  }).mutate;
}

export const notificationEvents = {
  feeds: [['notifications']],
  'notification:settled': (_, cache) => coalesce('notifications', () => rereadAll(cache)),
  'notification:new': (notice, cache) => {
    if (seen.has(notice.id)) return;
    takeNotice(cache, notice);
    if (onScreen(notice)) {
      readHere(cache, notice.id);
      sendRead(notice.id).catch(() => rereadAll(cache));
    } else store.set(arrivedAtom, notice);
  },
} satisfies SocketRows;

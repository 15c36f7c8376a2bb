import { limits } from '@lightbox/contract/limits.js';
import { type ChatListEntry, type Message, messageCalls } from '@lightbox/contract/messages/calls.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { userCalls } from '@lightbox/contract/users/calls.js';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { session, userAtom } from '../auth/session';
import { socketAtom } from '../lib/connection';
import { ApiError, send } from '../lib/http';
import { queryClient } from '../lib/query';
import { emit, type SocketRows } from '../lib/socket';
import { store } from '../lib/store';
import {
  type Chat,
  delivered,
  extended,
  listed,
  otherOf,
  page,
  readUpTo,
  received,
  refreshed,
  unreadFrom,
  withPresence,
  withUnread,
} from './chat';
import { flushAll, onAccepted, settle } from './outbox';
import { stoppedTyping, typingFrom } from './typing';

const me = () => session().user?.id ?? '';

export const listKey = ['messages', 'list'] as const;
export const chatKey = (userId: string) => ['messages', 'chat', userId] as const;

export const chatList = queryOptions({
  queryKey: listKey,
  queryFn: async ({ signal }) => (await send(messageCalls.chatList, {}, { signal })).data,
});

export const chatWith = (userId: string) =>
  queryOptions({
    queryKey: chatKey(userId),
    queryFn: async ({ signal, client }) => {
      const query = { limit: limits.chatLimit };
      const { data } = await send(messageCalls.chat, { params: { userId }, query }, { signal });
      acknowledge(data);
      // What an event brought while this was on its way is held by now, and stays.
      return refreshed(client.getQueryData<Chat>(chatKey(userId)), page(data));
    },
  });

/** A chat, or a person, that is not this viewer's to know of, or not there. */
export const isGone = (error: unknown) => error instanceof ApiError && [403, 404, 422].includes(error.status);

/** The page before the oldest one held. */
export async function loadOlder(cache: QueryClient, userId: string) {
  const before = cache.getQueryData<Chat>(chatKey(userId))?.messages[0]?.id;
  if (!before) return;
  const query = { before, limit: limits.chatLimit };
  const { data } = await send(messageCalls.chat, { params: { userId }, query });
  cache.setQueryData<Chat>(chatKey(userId), (held) => held && extended(held, data));
}

/** Somebody whose address was opened and who is in no chat yet. */
export const personOf = (id: string) =>
  queryOptions({
    queryKey: ['messages', 'person', id],
    queryFn: async ({ signal }) => {
      const { data } = await send(userCalls.getUser, { params: { id } }, { signal });
      return { ...data, role: data.role.name };
    },
  });

/** `role`: only people of this one. */
export const peopleNamed = (search: string, role?: Role) =>
  queryOptions({
    queryKey: ['messages', 'people', search, role],
    queryFn: ({ signal }) =>
      send(userCalls.listUsers, { query: { limit: 20, role, ...(search && { search }) } }, { signal }),
    placeholderData: keepPreviousData,
  });

/** Reads the list again. Also while it is being read, because that answer may be older than what we know. */
const rereadList = (cache: QueryClient) => void cache.invalidateQueries({ queryKey: listKey });

/** Changes the list; an answer that is still on its way may not know of it, so that is asked again. */
function changeList(cache: QueryClient, change: (list: ChatListEntry[]) => ChatListEntry[] | undefined) {
  const list = cache.getQueryData<ChatListEntry[]>(listKey);
  const next = list && change(list);
  if (next) cache.setQueryData(listKey, next);
  if ((list && !next) || cache.isFetching({ queryKey: listKey })) rereadList(cache);
}

/** Ids whose effect on the list is counted: an event may come twice. */
const counted = new Set<string>();

/** A message of mine or to me, from an event or an acknowledgement. */
export function take(cache: QueryClient, message: Message) {
  const other = otherOf(message, me());
  if (message.senderId === me()) {
    if (message.clientId) settle(message.clientId);
  } else stoppedTyping(other);
  cache.setQueryData<Chat>(chatKey(other), (chat) => chat && received(chat, [message]));
  acknowledge([message]);
  if (counted.has(message.id)) return;
  counted.add(message.id);
  changeList(cache, (list) => listed(list, message, me()));
}

const allChats = (cache: QueryClient) =>
  cache
    .getQueriesData<Chat>({ queryKey: ['messages', 'chat'] })
    .flatMap(([key, chat]) => (chat ? [{ key, chat }] : []));

interface ReadMark {
  /** Who read. */
  userId: string;
  upTo: string;
  at: string;
}

/** The other has read mine, or I have read theirs, here or in another tab. */
export function takeRead(cache: QueryClient, { userId, upTo, at }: ReadMark) {
  const found = allChats(cache).flatMap(({ key, chat }) => {
    const message = chat.messages.find(({ id }) => id === upTo);
    return message ? [{ key, chat, message }] : [];
  })[0];
  if (found) {
    const next = readUpTo(found.chat, userId, found.message.seq, at);
    cache.setQueryData(found.key, next);
    if (userId !== me()) return;
    const other = otherOf(found.message, me());
    const unread = unreadFrom(next, other).length;
    changeList(cache, (list) => withUnread(list, other, unread));
  } else if (userId === me()) rereadList(cache);
  else void cache.invalidateQueries({ queryKey: chatKey(userId) });
}

let marking: string | undefined;

/** Marks everything up to this message of theirs as read: the server first, then here. */
export async function markRead(cache: QueryClient, message: Message) {
  if (marking === message.id || store.get(socketAtom) !== 'on') return;
  marking = message.id;
  const owner = me();
  try {
    await emit('message:read', { userId: message.senderId, upTo: message.id });
    if (me() === owner) takeRead(cache, { userId: owner, upTo: message.id, at: new Date().toISOString() });
  } catch {
    // Still unread: the next glance at it tries again.
  } finally {
    if (marking === message.id) marking = undefined;
  }
}

/** Arrived here and not yet reported. */
const toReport = new Set<string>();
const reported = new Set<string>();
let reporting = false;
const reportAtOnce = 200;

/** In bunches: a page of history is one report. */
function reportSoon() {
  if (reporting || !toReport.size) return;
  reporting = true;
  setTimeout(report, 60);
}

/** Tells the senders that their messages have reached this person. */
function acknowledge(messages: Message[]) {
  const mine = messages.filter(
    ({ recipientId, deliveredAt, id }) => recipientId === me() && !deliveredAt && !reported.has(id),
  );
  for (const { id } of mine) toReport.add(id);
  reportSoon();
}

async function report() {
  reporting = false;
  const ids = [...toReport].slice(0, reportAtOnce);
  if (!ids.length || store.get(socketAtom) !== 'on') return;
  for (const id of ids) {
    toReport.delete(id);
    reported.add(id);
  }
  try {
    await emit('message:delivered', { ids });
  } catch {
    for (const id of ids) {
      reported.delete(id);
      toReport.add(id);
    }
    return;
  }
  reportSoon();
}

/** Where `GET /message/since` left off, for this account and this tab. */
let cursor: string | undefined;
let catching: Promise<void> | undefined;

/** What came while nobody listened: from the kept place on, dropping what is held. */
export function catchUp(cache: QueryClient = queryClient): Promise<void> {
  catching ??= (async () => {
    const owner = me();
    for (let more = true; more; ) {
      const { data } = await send(
        messageCalls.messagesSince,
        { query: { ...(cursor && { cursor }) } },
        { background: true },
      );
      if (me() !== owner) return;
      cursor = data.cursor;
      more = data.more;
      takeMissed(cache, data.messages);
    }
  })()
    .catch((error: unknown) => {
      // A place that the server no longer knows: from its own next time. Whatever else it was, the next connect asks again.
      if (error instanceof ApiError && error.status === 422) cursor = undefined;
    })
    .finally(() => {
      catching = undefined;
    });
  return catching;
}

export function takeMissed(cache: QueryClient, messages: Message[]) {
  const chats = new Map<string, Message[]>();
  for (const message of messages) {
    const other = otherOf(message, me());
    chats.set(other, [...(chats.get(other) ?? []), message]);
    if (message.senderId === me() && message.clientId) settle(message.clientId);
  }
  for (const [other, missed] of chats)
    cache.setQueryData<Chat>(chatKey(other), (chat) => chat && received(chat, missed));
  acknowledge(messages);
  const list = cache.getQueryData<ChatListEntry[]>(listKey);
  const behind = ([other, missed]: [string, Message[]]) => {
    const last = list?.find(({ user }) => user.id === other)?.lastMessage;
    return missed.some(({ createAt, id }) => !last || (createAt >= last.createAt && id !== last.id));
  };
  if (list && [...chats].some(behind)) rereadList(cache);
}

onAccepted((message) => take(queryClient, message));

store.sub(socketAtom, () => {
  if (store.get(socketAtom) !== 'on') return;
  flushAll();
  void catchUp();
  void report();
});

let whose = me();
store.sub(userAtom, () => {
  if (whose === me()) return;
  whose = me();
  cursor = undefined;
  for (const set of [counted, toReport, reported]) set.clear();
});

export const messageEvents: SocketRows = {
  'message:new': (message, cache) => take(cache, message),
  'message:delivered': ({ ids, at }, cache) => {
    for (const { key, chat } of allChats(cache)) {
      if (chat.messages.some(({ id }) => ids.includes(id))) cache.setQueryData(key, delivered(chat, ids, at));
    }
  },
  'message:read': (mark, cache) => takeRead(cache, mark),
  typing: ({ userId }) => typingFrom(userId),
  presence: ({ userId, online }, cache) => changeList(cache, (list) => withPresence(list, userId, online)),
};

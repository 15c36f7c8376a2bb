import { limits } from '@lightbox/contract/limits.js';
import { type ChatListEntry, type Message, messageCalls } from '@lightbox/contract/messages/calls.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { waitAfter } from '@lightbox/contract/reconnecting.js';
import { userCalls } from '@lightbox/contract/users/calls.js';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { session, userAtom } from '../auth/session';
import { coalesce } from '../lib/coalesce';
import { socketAtom } from '../lib/connection';
import { ApiError, send } from '../lib/http';
import { change, reread, whenRead } from '../lib/live';
import { queryClient, worthRetrying } from '../lib/query';
import { Recent } from '../lib/recent';
import { emit, type SocketRows } from '../lib/socket';
import { store } from '../lib/store';
import {
  type Chat,
  delivered,
  extended,
  hasHole,
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
const chats = ['messages', 'chat'] as const;
export const chatKey = (userId: string) => [...chats, userId] as const;

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
  change<Chat>(cache, chatKey(userId), (chat) => extended(chat, data, before));
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

/** Ids whose effect on the list is counted: an event may come twice. */
const counted = new Recent();

/** Puts messages into their chat. One that leaves a place open may have overtaken another: if that does not come, the chat is read again. */
function add(cache: QueryClient, other: string, came: Message[]) {
  const key = chatKey(other);
  change<Chat>(cache, key, (chat) => received(chat, came));
  coalesce(`chat ${other}`, () => {
    void whenRead<Chat>(cache, key, (chat) => {
      if (hasHole(chat)) void reread(cache, key);
    });
  });
}

/** A message of mine or to me, from an event or an acknowledgement. */
export function take(cache: QueryClient, message: Message) {
  const other = otherOf(message, me());
  if (message.senderId === me()) {
    if (message.clientId) settle(message.clientId);
  } else stoppedTyping(other);
  add(cache, other, [message]);
  acknowledge([message]);
  if (counted.has(message.id)) return;
  counted.add(message.id);
  change<ChatListEntry[]>(cache, listKey, (list, fresh) => listed(list, message, me(), fresh));
}

interface ReadMark {
  /** Who read. */
  userId: string;
  upTo: string;
  at: string;
}

/** The other has read mine, or I have read theirs, here or in another tab. */
export function takeRead(cache: QueryClient, { userId, upTo, at }: ReadMark) {
  const mine = userId === me();
  const reached = (chat: Chat) => chat.messages.find(({ id }) => id === upTo);
  change<Chat>(cache, mine ? chats : chatKey(userId), (chat) => {
    const message = reached(chat);
    if (message) return readUpTo(chat, userId, message.seq, at);
    // My own mark is in one of all chats.
    return mine ? chat : undefined;
  });
  if (!mine) return;
  const found = cache.getQueriesData<Chat>({ queryKey: chats }).flatMap(([, chat]) => {
    const message = chat && reached(chat);
    return message ? [{ chat, other: otherOf(message, userId) }] : [];
  })[0];
  // An answer that is on its way may have counted later ones; how many, only the server can tell.
  change<ChatListEntry[]>(cache, listKey, (list, fresh) =>
    found && !fresh ? withUnread(list, found.other, unreadFrom(found.chat, found.other).length) : undefined,
  );
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
const reported = new Recent();
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
let asked = 0;

/** Everything that came while nobody listened: from the kept place on, dropping what is held. */
export function catchUp(cache: QueryClient = queryClient): Promise<void> {
  // A connection that broke and came back meanwhile: the answer on its way may not know of what came between.
  asked += 1;
  catching ??= readSince(cache).finally(() => {
    catching = undefined;
  });
  return catching;
}

async function readSince(cache: QueryClient) {
  const owner = me();
  let failures = 0;
  for (let served = 0, more = false; served < asked || more; ) {
    const now = asked;
    const query = cursor ? { cursor } : {};
    let answer: Awaited<ReturnType<typeof send<typeof messageCalls.messagesSince>>>;
    try {
      answer = await send(messageCalls.messagesSince, { query }, { background: true });
    } catch (error) {
      // A place that the server no longer knows: on from its own.
      if (cursor && error instanceof ApiError && error.status === 422) cursor = undefined;
      else if (!worthRetrying(error)) return;
      else await new Promise((done) => setTimeout(done, waitAfter(failures++)));
      // Without a connection the next one asks again.
      if (me() !== owner || store.get(socketAtom) !== 'on') return;
      continue;
    }
    if (me() !== owner) return;
    ({ cursor, more } = answer.data);
    served = now;
    failures = 0;
    takeMissed(cache, answer.data.messages);
  }
}

export function takeMissed(cache: QueryClient, messages: Message[]) {
  const missed = new Map<string, Message[]>();
  for (const message of messages) {
    const other = otherOf(message, me());
    missed.set(other, [...(missed.get(other) ?? []), message]);
    if (message.senderId === me() && message.clientId) settle(message.clientId);
  }
  for (const [other, some] of missed) add(cache, other, some);
  acknowledge(messages);
  const behind = (list: ChatListEntry[]) =>
    [...missed].some(([other, some]) => {
      const last = list.find(({ user }) => user.id === other)?.lastMessage;
      return some.some(({ createAt, id }) => !last || (createAt >= last.createAt && id !== last.id));
    });
  change<ChatListEntry[]>(cache, listKey, (list) => (behind(list) ? undefined : list));
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

export const messageEvents = {
  feeds: [listKey, chats],
  'message:new': (message, cache) => take(cache, message),
  'message:delivered': ({ ids, at }, cache) =>
    change<Chat>(cache, chats, (chat) =>
      chat.messages.some(({ id }) => ids.includes(id)) ? delivered(chat, ids, at) : chat,
    ),
  'message:read': (mark, cache) => takeRead(cache, mark),
  typing: ({ userId }) => typingFrom(userId),
  presence: ({ userId, online }, cache) =>
    change<ChatListEntry[]>(cache, listKey, (list) => withPresence(list, userId, online)),
} satisfies SocketRows;

import { limits } from '@lightbox/contract/limits.js';
import { type ChatListEntry, messageCalls } from '@lightbox/contract/messages/calls.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { userCalls } from '@lightbox/contract/users/calls.js';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { userAtom } from '../auth/session';
import { socketAtom } from '../lib/connection';
import { ApiError, send } from '../lib/http';
import { change } from '../lib/live';
import { queryClient } from '../lib/query';
import type { SocketRows } from '../lib/socket';
import { store } from '../lib/store';
import { catchUp, forgetCursor } from './catchUp';
import { type Chat, delivered, extended, page, refreshed, withPresence } from './chat';
import { chatKey, chats, listKey, me } from './keys';
import { flushAll, onAccepted } from './outbox';
import { applyRead } from './readMarks';
import { acknowledge, forgetReports, report } from './reports';
import { forgetCounted, take } from './take';
import { typingFrom } from './typing';

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

/** True when the chat or the person does not exist, or the viewer may not see them. */
export const isGone = (error: unknown) => error instanceof ApiError && [403, 404, 422].includes(error.status);

/** Loads the page before the oldest cached message. */
export async function loadOlder(cache: QueryClient, userId: string, limit: number = limits.chatLimit) {
  const before = cache.getQueryData<Chat>(chatKey(userId))?.messages[0]?.id;
  if (!before) return;
  const { data } = await send(messageCalls.chat, { params: { userId }, query: { before, limit } });
  change<Chat>(cache, chatKey(userId), (chat) => extended(chat, data, before, limit));
}

/** Loads the pages back to a message, and the page before it. Returns true when the chat contains the message. */
export async function loadBackTo(cache: QueryClient, userId: string, id: string): Promise<boolean> {
  for (;;) {
    const chat = cache.getQueryData<Chat>(chatKey(userId));
    const at = chat?.messages.findIndex((message) => message.id === id) ?? -1;
    if (!chat?.more || at >= contextSize) return at >= 0;
    await loadOlder(cache, userId, limits.chatLimitMax);
    if (cache.getQueryData<Chat>(chatKey(userId))?.messages[0]?.id === chat.messages[0]?.id) return at >= 0;
  }
}
/** Messages before a found one that are loaded with it. */
const contextSize = 10;

/** Finds messages of a chat, the newest first; `before` continues an earlier answer. The text is in no address. */
export const findInChat = async (userId: string, text: string, before?: string, signal?: AbortSignal) =>
  (
    await send(
      messageCalls.searchChat,
      { params: { userId }, body: { text, ...(before && { before }) } },
      signal && { signal },
    )
  ).data;

/** Reads a person from the directory, for a chat that has no messages yet. */
export const personOf = (id: string) =>
  queryOptions({
    queryKey: ['messages', 'person', id],
    queryFn: async ({ signal }) => {
      const { data } = await send(userCalls.getUser, { params: { id } }, { signal });
      return { ...data, role: data.role.name };
    },
  });

/** Finds people by name; `role` limits the result to one role. */
export const peopleNamed = (search: string, role?: Role) =>
  queryOptions({
    queryKey: ['messages', 'people', search, role],
    queryFn: ({ signal }) =>
      send(userCalls.listUsers, { query: { limit: 20, role, ...(search && { search }) } }, { signal }),
    placeholderData: keepPreviousData,
  });

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
  forgetCursor();
  forgetCounted();
  forgetReports();
});

export const messageEvents = {
  feeds: [listKey, chats],
  'message:new': (message, cache) => take(cache, message),
  'message:delivered': ({ ids, at }, cache) =>
    change<Chat>(cache, chats, (chat) =>
      chat.messages.some(({ id }) => ids.includes(id)) ? delivered(chat, ids, at) : chat,
    ),
  'message:read': (mark, cache) => applyRead(cache, mark),
  typing: ({ userId }) => typingFrom(userId),
  presence: ({ userId, online }, cache) =>
    change<ChatListEntry[]>(cache, listKey, (list) => withPresence(list, userId, online)),
} satisfies SocketRows;

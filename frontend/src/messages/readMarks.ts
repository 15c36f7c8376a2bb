import type { ChatListEntry, Message } from '@lightbox/contract/messages/calls.js';
import type { QueryClient } from '@tanstack/react-query';
import { socketAtom } from '../lib/connection';
import { change } from '../lib/live';
import { emit } from '../lib/socket';
import { store } from '../lib/store';
import { type Chat, otherOf, readUpTo, unreadFrom, withUnread } from './chat';
import { chatKey, chats, listKey, me } from './keys';

interface ReadMark {
  /** The reader. */
  userId: string;
  upTo: string;
  at: string;
}

/** Applies a read mark of the other person, or of the viewer in this or another tab. */
export function applyRead(cache: QueryClient, { userId, upTo, at }: ReadMark) {
  const mine = userId === me();
  const reached = (chat: Chat) => chat.messages.find(({ id }) => id === upTo);
  change<Chat>(cache, mine ? chats : chatKey(userId), (chat) => {
    const message = reached(chat);
    if (message) return readUpTo(chat, userId, message.seq, at);
    // The viewer's own mark can belong to any chat.
    return mine ? chat : undefined;
  });
  if (!mine) return;
  const found = cache.getQueriesData<Chat>({ queryKey: chats }).flatMap(([, chat]) => {
    const message = chat && reached(chat);
    return message ? [{ chat, other: otherOf(message, userId) }] : [];
  })[0];
  // A pending answer may have counted later messages. Only the server knows how many, so read the list again.
  change<ChatListEntry[]>(cache, listKey, (list, fresh) =>
    found && !fresh ? withUnread(list, found.other, unreadFrom(found.chat, found.other).length) : undefined,
  );
}

let marking: string | undefined;

/** Marks everything up to this message of the other person as read: first on the server, then in the cache. */
export async function markRead(cache: QueryClient, message: Message) {
  if (marking === message.id || store.get(socketAtom) !== 'on') return;
  marking = message.id;
  const owner = me();
  try {
    await emit('message:read', { userId: message.senderId, upTo: message.id });
    if (me() === owner) applyRead(cache, { userId: owner, upTo: message.id, at: new Date().toISOString() });
  } catch {
    // The message stays unread. `useSeen` tries again.
  } finally {
    if (marking === message.id) marking = undefined;
  }
}

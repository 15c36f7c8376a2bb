/** What a message, a receipt and a presence do to what is held. Pure: the same input, the same output. */

import { limits } from '@lightbox/contract/limits.js';
import type { ChatListEntry, Message } from '@lightbox/contract/messages/calls.js';

/** One conversation as far as it was read: a gapless stretch up to the newest, in the order of `seq`. */
export interface Chat {
  messages: Message[];
  /** Older ones are on the server. */
  more: boolean;
}

export const otherOf = (message: Message, me: string) =>
  message.senderId === me ? message.recipientId : message.senderId;

/** Messages never change and never go, and receipts only get added: so what is held and what came simply unite. */
export function unite(held: Message[], came: Message[]): Message[] {
  const all = new Map(held.map((message) => [message.id, message]));
  for (const message of came) all.set(message.id, { ...all.get(message.id), ...message });
  return [...all.values()].sort((a, b) => a.seq - b.seq);
}

export const page = (messages: Message[]): Chat => ({ messages, more: messages.length >= limits.chatLimit });

/** The newest page again, over what is held. Where the two do not touch, the held stretch is too old to keep. */
export function refreshed(held: Chat | undefined, fresh: Chat): Chat {
  const oldest = fresh.messages[0];
  if (!held?.messages.length || !oldest) return held?.messages.length ? held : fresh;
  const ids = new Set(held.messages.map(({ id }) => id));
  const touching = !fresh.more || fresh.messages.some(({ id }) => ids.has(id));
  const kept = touching ? held.messages : held.messages.filter(({ seq }) => seq > oldest.seq);
  const messages = unite(kept, fresh.messages);
  return { messages, more: messages[0]?.id === oldest.id ? fresh.more : held.more };
}

export const received = (chat: Chat, messages: Message[]): Chat => ({
  ...chat,
  messages: unite(chat.messages, messages),
});

/** Older ones, in front. */
export const extended = (chat: Chat, older: Message[]): Chat => ({
  messages: unite(chat.messages, older),
  more: page(older).more,
});

export function delivered(chat: Chat, ids: readonly string[], at: string): Chat {
  const these = new Set(ids);
  return {
    ...chat,
    messages: chat.messages.map((message) =>
      these.has(message.id) && !message.deliveredAt ? { ...message, deliveredAt: at } : message,
    ),
  };
}

/** This reader has read what was written to them, up to this place in the conversation. */
export function readUpTo(chat: Chat, reader: string, seq: number, at: string): Chat {
  const covered = (message: Message) => message.recipientId === reader && message.seq <= seq && !message.readAt;
  return {
    ...chat,
    messages: chat.messages.map((message) => (covered(message) ? { ...message, readAt: at } : message)),
  };
}

export const unreadFrom = (chat: Chat, userId: string) =>
  chat.messages.filter(({ senderId, readAt }) => senderId === userId && !readAt);

/** The list after a message that it has not counted; nothing when only the server can tell (a new person, an older message). */
export function listed(list: ChatListEntry[], message: Message, me: string): ChatListEntry[] | undefined {
  const other = otherOf(message, me);
  const entry = list.find(({ user }) => user.id === other);
  if (entry?.lastMessage.id === message.id) return list;
  if (!entry || message.createAt < entry.lastMessage.createAt) return undefined;
  const { id, content, createAt, senderId } = message;
  const unread = entry.unread + (senderId !== me && !message.readAt ? 1 : 0);
  return [
    { ...entry, lastMessage: { id, content, createAt, senderId }, unread },
    ...list.filter((others) => others !== entry),
  ];
}

export const withUnread = (list: ChatListEntry[], userId: string, unread: number) =>
  list.map((entry) => (entry.user.id === userId ? { ...entry, unread } : entry));

export const withPresence = (list: ChatListEntry[], userId: string, online: boolean) =>
  list.map((entry) => (entry.user.id === userId ? { ...entry, user: { ...entry.user, online } } : entry));

export const totalUnread = (list: ChatListEntry[]) => list.reduce((sum, { unread }) => sum + unread, 0);

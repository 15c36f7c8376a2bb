/** What a message, a receipt and a presence do to what is held. Pure: the same input, the same output. */

import { limits } from '@lightbox/contract/limits.js';
import type { ChatListEntry, Message } from '@lightbox/contract/messages/calls.js';

/** One conversation as far as it was read: a gapless stretch up to the newest, in the order of `seq`. */
export interface Chat {
  messages: Message[];
  /** Older ones are on the server. */
  more: boolean;
  /** Nothing is missing up to this `seq`. Behind it a message may be missing that was not heard of. */
  whole: number;
}

export const otherOf = (message: Message, me: string) =>
  message.senderId === me ? message.recipientId : message.senderId;

/** A message is the same by its id, by what its sender called it, and by its place in the conversation. */
const namesOf = ({ id, senderId, clientId, seq }: Message) => [
  id,
  `seq ${seq}`,
  ...(clientId ? [`${senderId} ${clientId}`] : []),
];

/**
 * What is held, with what came. A message never changes, and receipts only get added. When two are in one's place (the
 * database lost the first before it was kept for good), the one that came later holds.
 */
export function unite(held: Message[], came: Message[]): Message[] {
  const all = new Map(held.map((message) => [message.id, message]));
  const named = new Map(held.flatMap((message) => namesOf(message).map((name) => [name, message.id])));
  for (const message of came) {
    for (const name of namesOf(message)) {
      const before = named.get(name);
      if (before && before !== message.id) all.delete(before);
      named.set(name, message.id);
    }
    all.set(message.id, { ...all.get(message.id), ...message });
  }
  return [...all.values()].sort((a, b) => a.seq - b.seq);
}

/** As far as the places follow one another. */
const reach = (messages: Message[], whole: number) =>
  messages.reduce((end, { seq }) => (seq === end + 1 ? seq : end), whole);

/** The newest page, as the server told it: a place that it skips is empty. */
export const page = (messages: Message[]): Chat => ({
  messages,
  more: messages.length >= limits.chatLimit,
  whole: messages.at(-1)?.seq ?? 0,
});

/** The newest page again, over what is held. Where the two do not touch, the held stretch is too old to keep. */
export function refreshed(held: Chat | undefined, fresh: Chat): Chat {
  const oldest = fresh.messages[0];
  if (!held?.messages.length || !oldest) return held?.messages.length ? held : fresh;
  const ids = new Set(held.messages.map(({ id }) => id));
  const touching = !fresh.more || fresh.messages.some(({ id }) => ids.has(id));
  const kept = touching ? held.messages : held.messages.filter(({ seq }) => seq > oldest.seq);
  const messages = unite(kept, fresh.messages);
  return {
    messages,
    more: messages[0]?.id === oldest.id ? fresh.more : held.more,
    whole: reach(messages, touching ? Math.max(held.whole, fresh.whole) : fresh.whole),
  };
}

export function received(chat: Chat, came: Message[]): Chat {
  const messages = unite(chat.messages, came);
  return { ...chat, messages, whole: reach(messages, chat.whole) };
}

/** Older ones, in front of the message that they were asked for with. */
export const extended = (chat: Chat, older: Message[], before: string): Chat =>
  chat.messages[0]?.id === before ? { ...chat, messages: unite(chat.messages, older), more: page(older).more } : chat;

export const hasHole = ({ messages, whole }: Chat) => (messages.at(-1)?.seq ?? 0) > whole;

/** The newest unread message of theirs that was seen, with nothing missing before it: all up to it is marked as read. */
export function seenUpTo({ messages, whole }: Chat, id: string | undefined): Message | undefined {
  const seen = messages.find((message) => message.id === id);
  return (
    seen &&
    messages.findLast(
      ({ senderId, seq, readAt }) => senderId === seen.senderId && !readAt && seq <= Math.min(seen.seq, whole),
    )
  );
}

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

/**
 * The list after a message that it has not counted; nothing when only the server can tell (a new person, an older message,
 * or a fresh answer that may have counted it).
 */
export function listed(
  list: ChatListEntry[],
  message: Message,
  me: string,
  fresh = false,
): ChatListEntry[] | undefined {
  const other = otherOf(message, me);
  const entry = list.find(({ user }) => user.id === other);
  if (entry?.lastMessage.id === message.id) return list;
  const last = entry?.lastMessage.createAt;
  if (!entry || !last || message.createAt < last || (fresh && message.createAt === last)) return undefined;
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

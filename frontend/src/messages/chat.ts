/** Pure functions that apply messages, receipts and presence to the cached chats and the chat list. */

import { limits } from '@lightbox/contract/limits.js';
import type { ChatListEntry, Message } from '@lightbox/contract/messages/calls.js';

/** The loaded part of one conversation, in the order of `seq`, up to the newest message. */
export interface Chat {
  messages: Message[];
  /** True when the server has older messages. */
  more: boolean;
  /** No message is missing up to this `seq`. After it, one may be missing. */
  whole: number;
}

export const otherOf = (message: Message, me: string) =>
  message.senderId === me ? message.recipientId : message.senderId;

/** Returns the keys of a message: id, `seq`, and sender with client id. Messages that share a key are the same message. */
const namesOf = ({ id, senderId, clientId, seq }: Message) => [
  id,
  `seq ${seq}`,
  ...(clientId ? [`${senderId} ${clientId}`] : []),
];

/**
 * Merges new messages into the cached ones. A message never changes, and receipts are only added. When two messages share
 * a key (a failover of the database lost the first one), the later one replaces the first.
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

/** Returns the last `seq` that follows `whole` without a gap. */
const reach = (messages: Message[], whole: number) =>
  messages.reduce((end, { seq }) => (seq === end + 1 ? seq : end), whole);

/** Makes a chat from the newest page of the server. A `seq` that is missing in the page does not exist. */
export const page = (messages: Message[]): Chat => ({
  messages,
  more: messages.length >= limits.chatLimit,
  whole: messages.at(-1)?.seq ?? 0,
});

/** Merges the newest page into the cached chat. Without an overlap, drops the cached messages older than the page. */
export function refreshed(held: Chat | undefined, fresh: Chat): Chat {
  const oldest = fresh.messages[0];
  if (!held?.messages.length || !oldest) return held?.messages.length ? held : fresh;
  const ids = new Set(held.messages.map(({ id }) => id));
  const overlapping = !fresh.more || fresh.messages.some(({ id }) => ids.has(id));
  const kept = overlapping ? held.messages : held.messages.filter(({ seq }) => seq > oldest.seq);
  const messages = unite(kept, fresh.messages);
  return {
    messages,
    more: messages[0]?.id === oldest.id ? fresh.more : held.more,
    whole: reach(messages, overlapping ? Math.max(held.whole, fresh.whole) : fresh.whole),
  };
}

export function received(chat: Chat, came: Message[]): Chat {
  const messages = unite(chat.messages, came);
  return { ...chat, messages, whole: reach(messages, chat.whole) };
}

/** Adds a page of older messages, if the chat still begins with the message that the request named. */
export const extended = (chat: Chat, older: Message[], before: string, limit: number = limits.chatLimit): Chat =>
  chat.messages[0]?.id === before
    ? { ...chat, messages: unite(chat.messages, older), more: older.length >= limit }
    : chat;

export const hasHole = ({ messages, whole }: Chat) => (messages.at(-1)?.seq ?? 0) > whole;

/**
 * Returns the newest unread message of the other person up to the seen one, with no message missing before it. The client
 * marks everything up to it as read.
 */
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

/** Marks the messages to this reader as read, up to this `seq`. */
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
 * Returns the chat list after a message that it has not counted. Returns undefined when only the server knows the
 * result: for a new person, an older message, or a fresh answer that may have counted it.
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
  const { id, content, createAt, senderId, attachments, view, voice } = message;
  const shown = {
    ...(attachments ? { images: attachments.length } : {}),
    ...(voice ? { voice: true as const } : {}),
    ...(view ? { pinned: true as const } : {}),
  };
  const unread = entry.unread + (senderId !== me && !message.readAt ? 1 : 0);
  return [
    { ...entry, lastMessage: { id, content, ...shown, createAt, senderId }, unread },
    ...list.filter((others) => others !== entry),
  ];
}

export const withUnread = (list: ChatListEntry[], userId: string, unread: number) =>
  list.map((entry) => (entry.user.id === userId ? { ...entry, unread } : entry));

export const withPresence = (list: ChatListEntry[], userId: string, online: boolean) =>
  list.map((entry) => (entry.user.id === userId ? { ...entry, user: { ...entry.user, online } } : entry));

export const totalUnread = (list: ChatListEntry[]) => list.reduce((sum, { unread }) => sum + unread, 0);

/** Messages of one sender within this time stand together, and only the time of the last one is seen. */
const groupMs = 60_000;

/** Returns for each message in order: true when the next one continues its group. `breaks`: the first of a new part. */
export function joinedToNext(
  messages: readonly { own: boolean; at: string }[],
  breaks: (index: number) => boolean,
): boolean[] {
  const joined = messages.map(() => false);
  let start = 0;
  for (let i = 1; i < messages.length; i++) {
    const [first, now] = [messages[start], messages[i]];
    if (!first || !now) break;
    const continues = first.own === now.own && !breaks(i) && Date.parse(now.at) - Date.parse(first.at) < groupMs;
    if (continues) joined[i - 1] = true;
    else start = i;
  }
  return joined;
}

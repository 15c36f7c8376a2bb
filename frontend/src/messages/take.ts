import type { ChatListEntry, Message } from '@lightbox/contract/messages/calls.js';
import type { QueryClient } from '@tanstack/react-query';
import { coalesce } from '../lib/coalesce';
import { change, reread, whenRead } from '../lib/live';
import { Recent } from '../lib/recent';
import { type Chat, hasHole, listed, otherOf, received } from './chat';
import { chatKey, listKey, me } from './keys';
import { settle } from './outbox';
import { acknowledge } from './reports';
import { stoppedTyping } from './typing';

/** The messages that the chat list has counted. An event may arrive twice. */
const counted = new Recent();

/**
 * Adds messages to their chat. After a gap in `seq`, the missing message may still be on its way. If it does not arrive,
 * the chat is read again.
 */
function add(cache: QueryClient, other: string, came: Message[]) {
  const key = chatKey(other);
  change<Chat>(cache, key, (chat) => received(chat, came));
  coalesce(`chat ${other}`, () => {
    void whenRead<Chat>(cache, key, (chat) => {
      if (hasHole(chat)) void reread(cache, key);
    });
  });
}

/** Adds a message from or to the viewer, received as an event or an acknowledgement. */
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

/** Adds the messages that arrived while this tab was disconnected. */
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

/** Clears the counted messages when the account changes or signs out. */
export const forgetCounted = () => counted.clear();

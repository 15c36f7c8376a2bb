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

/** Messages that the list has counted: an event may come twice. */
const counted = new Recent();

/**
 * Puts messages into their chat. A message that leaves a gap may have overtaken another. If that does not come, the chat
 * is read again.
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

/** Messages that came while this tab was not connected. */
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

/** Another person has signed in, or nobody. */
export const forgetCounted = () => counted.clear();

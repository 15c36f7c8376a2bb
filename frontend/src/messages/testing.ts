import type { ChatListEntry, Message } from '@lightbox/contract/messages/calls.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { startSession } from '../auth/session';

export const id = (text: string) => text.padStart(24, '0');
export const ana = id('a');
export const ben = id('b');
export const cleo = id('c');

const names: Record<string, string> = { [ana]: 'Ana', [ben]: 'Ben', [cleo]: 'Cleo' };

export function signIn(userId = ana, role: Role = 'healthProvider') {
  const name = names[userId] ?? 'Ana';
  const user = { id: userId, firstname: name, lastname: 'Ruiz', email: `${name}@example.org`, username: name };
  startSession({ ...user, role: { name: role } }, 'token');
}

let count = 0;
/** Makes message number `seq` of a conversation, one minute after the previous one. */
export const message = (seq: number, senderId: string, recipientId: string, more: Partial<Message> = {}): Message => ({
  id: id(`d${(++count).toString(16)}`),
  seq,
  senderId,
  recipientId,
  content: `Words ${seq}`,
  createAt: new Date(Date.UTC(2026, 0, 1, 9, seq)).toISOString(),
  ...more,
});

/** Returns the answer of `GET /message/chat-list`. */
export function listOf(all: Message[], me: string, online: ReadonlySet<string> = new Set()): ChatListEntry[] {
  const others = new Set(all.map(({ senderId, recipientId }) => (senderId === me ? recipientId : senderId)));
  const entries = [...others].flatMap((other) => {
    const theirs = all.filter(({ senderId, recipientId }) => [senderId, recipientId].includes(other));
    const last = theirs.toSorted((a, b) => a.createAt.localeCompare(b.createAt)).at(-1);
    if (!last) return [];
    const { content, createAt, senderId } = last;
    return {
      user: { id: other, firstname: names[other] ?? '', lastname: 'Ruiz', online: online.has(other) },
      lastMessage: { id: last.id, content, createAt, senderId },
      unread: theirs.filter((one) => one.senderId === other && !one.readAt).length,
    };
  });
  return entries.sort((a, b) => b.lastMessage.createAt.localeCompare(a.lastMessage.createAt));
}

/** Returns the answer of `GET /message/chat/:userId`. */
export const chatOf = (all: Message[], other: string) =>
  all.filter(({ senderId, recipientId }) => senderId === other || recipientId === other).sort((a, b) => a.seq - b.seq);

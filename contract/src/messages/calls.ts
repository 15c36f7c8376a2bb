import { z } from 'zod';
import { call } from '../call.js';
import { count } from '../envelope.js';
import { Cursor, Id, Time, UserParams } from '../ids.js';
import { limits } from '../limits.js';
import { RoleName, UserRef } from '../users/schemas.js';

export const Message = z.object({
  id: Id,
  /** The order of the messages of a conversation. It rises, and it may have gaps. */
  seq: z.int(),
  senderId: Id,
  recipientId: Id,
  content: z.string(),
  createAt: Time,
  clientId: z.string().optional(),
  deliveredAt: Time.optional(),
  readAt: Time.optional(),
});
export type Message = z.infer<typeof Message>;

export const Content = z
  .string()
  .trim()
  .min(1, 'Write something first.')
  .max(limits.messageLength, `Must be at most ${limits.messageLength} characters.`)
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'Contains characters that cannot be stored.');

export const SendMessage = z.strictObject({ recipientId: Id, content: Content, clientId: z.uuid().optional() });
export const ReadMessages = z.strictObject({ userId: Id, upTo: Id.optional() });

export const ChatListEntry = z.object({
  user: UserRef.extend({ role: RoleName.optional(), online: z.boolean() }),
  lastMessage: z.object({ id: Id, content: z.string(), createAt: Time, senderId: Id }),
  unread: z.int(),
});
export type ChatListEntry = z.infer<typeof ChatListEntry>;

export const messageCalls = {
  chatList: call({
    method: 'get',
    path: '/message/chat-list',
    who: 'message.use',
    action: 'message.use',
    summary: 'Conversations, the newest first',
    data: z.array(ChatListEntry),
  }),
  chat: call({
    method: 'get',
    path: '/message/chat/:userId',
    who: 'message.use',
    action: 'message.use',
    summary: 'Messages with one person, the oldest first; `before` a message id pages back',
    params: UserParams,
    query: z.strictObject({ before: Id.optional(), limit: count(limits.chatLimit, limits.chatLimitMax) }),
    data: z.array(Message),
  }),
  sendMessage: call({
    method: 'post',
    path: '/message/send',
    who: 'message.use',
    action: 'message.use',
    summary: 'Send a message; the same clientId again gives the same message',
    body: SendMessage,
    data: Message,
    status: 201,
    creates: true,
    alsoStatus: 200,
    fails: ['NOT_FOUND', 'CONFLICT'],
    throttles: ['message'],
  }),
  readMessages: call({
    method: 'post',
    path: '/message/read/:userId',
    who: 'message.use',
    action: 'message.use',
    summary: 'Mark messages from one person as read, up to one of them or all',
    params: UserParams,
    body: z.strictObject({ upTo: Id.optional() }),
  }),
  messagesSince: call({
    method: 'get',
    path: '/message/since',
    who: 'message.use',
    action: 'message.use',
    summary: 'Messages to or from the caller after a cursor; cursors overlap, drop ids you hold',
    query: z.strictObject({ cursor: Cursor.optional(), limit: count(200, 200) }),
    data: z.object({ messages: z.array(Message), cursor: z.string(), more: z.boolean() }),
  }),
};

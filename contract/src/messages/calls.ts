import { z } from 'zod';
import { call } from '../call.js';
import { count } from '../envelope.js';
import { Cursor, Id, Params, Time, text, UserParams } from '../ids.js';
import { limits } from '../limits.js';
import { texts } from '../texts.js';
import { MessageView, PinnedView } from '../together/schemas.js';
import { RoleName, UserRef } from '../users/schemas.js';
import { isMessage, nothingWritten, tooManyImages } from './content.js';
import { Quote } from './quote.js';
import { Voice } from './voice.js';
import { voiceTypes } from './voiceTypes.js';

/** The reader's access to an attached image: it can be opened, waits for the code of a share, or neither. */
export const attachmentAccess = ['open', 'locked', 'none'] as const;

/**
 * An attached image as one reader sees it. The access is decided at each reading, and the facts of the image are there
 * only while the reader may open it.
 */
export const Attachment = z.object({
  imageId: Id,
  access: z.enum(attachmentAccess),
  /** Present once the image was deleted. */
  deleted: z.literal(true).optional(),
  /** The reader's own share, while it waits for its code. */
  shareId: Id.optional(),
  caption: z.string().optional(),
  contentType: z.string().optional(),
  modality: z.string().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

export const Message = z.object({
  id: Id,
  /** The order of the messages of a conversation. It rises, and it may have gaps. */
  seq: z.int(),
  senderId: Id,
  recipientId: Id,
  /** May be empty when images are attached or a place is pinned. */
  content: z.string(),
  attachments: z.array(Attachment).optional(),
  replyTo: Quote.optional(),
  voice: Voice.optional(),
  view: MessageView.optional(),
  createAt: Time,
  clientId: z.string().optional(),
  deliveredAt: Time.optional(),
  readAt: Time.optional(),
});
export type Message = z.infer<typeof Message>;

/** The attached images of a message to be sent. */
export const AttachedImages = z
  .array(Id)
  .min(1, texts.required)
  .max(limits.messageImages, tooManyImages)
  .transform((ids) => [...new Set(ids)]);

const MessageBody = z.strictObject({
  content: text(limits.messageLength).default(''),
  images: AttachedImages.optional(),
  /** The message of the same chat that this one answers. */
  replyTo: Id.optional(),
  view: PinnedView.optional(),
});
/** Reported together with the errors of other fields. */
const empty = {
  path: ['content'],
  message: nothingWritten,
  when: ({ value }: z.core.ParsePayload) => typeof value === 'object' && value !== null,
};

/** A message without its recipient: a text, images, a pinned place, or some of them. */
export const MessageContent = MessageBody.refine(isMessage, empty);

export const SendMessage = MessageBody.extend({ recipientId: Id, clientId: z.uuid().optional() }).refine(
  isMessage,
  empty,
);

/** A voice message, without its recording: the file of the form. */
export const SendVoice = z.strictObject({ recipientId: Id, clientId: z.uuid().optional(), replyTo: Id.optional() });

export const ReadMessages = z.strictObject({ userId: Id, upTo: Id.optional() });

export const ChatListEntry = z.object({
  user: UserRef.extend({ role: RoleName.optional(), online: z.boolean() }),
  lastMessage: z.object({
    id: Id,
    content: z.string(),
    /** The number of attached images; absent without one. */
    images: z.int().optional(),
    /** True for a voice message. */
    voice: z.literal(true).optional(),
    /** Present when the message pins a place in an image. */
    pinned: z.literal(true).optional(),
    createAt: Time,
    senderId: Id,
  }),
  unread: z.int(),
});
export type ChatListEntry = z.infer<typeof ChatListEntry>;

/** The consequence of attaching an image: nothing more, a share with the recipient, or the refusal of the message. */
export const attachingOutcomes = ['attach', 'share', 'refuse'] as const;
export type AttachingOutcome = (typeof attachingOutcomes)[number];

const SearchHit = z.object({ id: Id, seq: z.int(), createAt: Time });
export type SearchHit = z.infer<typeof SearchHit>;

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
    fails: ['NOT_FOUND', 'NOT_VERIFIED', 'CANNOT_ATTACH', 'CONFLICT'],
    causes: ['share.create'],
    throttles: ['message', 'attachedShare', 'shareMail'],
  }),
  sendVoice: call({
    method: 'post',
    path: '/message/voice',
    who: 'message.use',
    action: 'message.use',
    summary: 'Send a recording as a message; multipart file, recipientId, clientId, replyTo in any order',
    body: SendVoice,
    multipart: 'only',
    data: Message,
    status: 201,
    creates: true,
    alsoStatus: 200,
    fails: ['NOT_FOUND', 'CONFLICT', 'NOT_A_RECORDING', 'RECORDING_TOO_LONG'],
    causes: ['voice.sent'],
    throttles: ['message', 'voice'],
  }),
  getVoice: call({
    method: 'get',
    path: '/message/voice/:id',
    who: 'message.use',
    action: 'voice.played',
    summary: 'The recording of a voice message, or a range of it; only for its two people',
    params: Params,
    binary: voiceTypes,
    alsoStatus: 206,
    fails: ['RANGE_NOT_SATISFIABLE'],
  }),
  checkAttachments: call({
    method: 'post',
    path: '/message/chat/:userId/images',
    who: 'message.use',
    action: 'message.use',
    summary: 'The caller’s access to images, and the outcome of attaching them to a message to this person',
    params: UserParams,
    body: z.strictObject({ images: AttachedImages }),
    data: z.array(Attachment.extend({ outcome: z.enum(attachingOutcomes) })),
    fails: ['NOT_FOUND'],
  }),
  searchChat: call({
    method: 'post',
    path: '/message/chat/:userId/search',
    who: 'message.use',
    action: 'message.use',
    summary: 'Messages with one person that contain all words, without case and accents, the newest first',
    params: UserParams,
    body: z.strictObject({
      text: text(limits.chatSearchLength).min(1, texts.required),
      before: Id.optional(),
    }),
    data: z.object({
      hits: z.array(SearchHit),
      /** The message before which the search continues; null at the beginning of the conversation. */
      before: Id.nullable(),
    }),
    fails: ['NOT_FOUND'],
    throttles: ['chatSearch'],
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

import type { ChatListEntry, Message, messageCalls } from '@lightbox/contract/messages/calls.js';
import { messageRules } from '@lightbox/contract/messages/policy.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { onOne } from '@lightbox/core/db/onOne.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import { openText, sealText } from '@lightbox/core/keys/seal.js';
import { conversationOf, unread } from '@lightbox/core/messages/messages.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { presentRef, refFields } from '../users/present.js';
import { requirePartner } from './partner.js';
import { presentMessages } from './present.js';
import { partyOf } from './receipts.js';
import { requireMessage } from './requireMessage.js';

const MAX_CHATS = 500;
const MAX_UNREAD = 1000;
/**
 * A cursor looks back this far, in milliseconds. Messages become visible a little out of order, and a machine that was
 * suspended writes times in the past until its clock is set. Clients drop the ids that they already have.
 */
const OVERLAP_MS = 120_000;

export async function chatList({
  gateway,
  viewer,
}: Context<typeof messageCalls.chatList>): Promise<Answer<ChatListEntry[]>> {
  const conversations = await gateway.models.Conversation.find({ members: viewer._id })
    .sort({ lastAt: -1 })
    .limit(MAX_CHATS)
    .lean<ConversationDoc[]>();
  const partners = conversations.map((conversation) => partnerOf(conversation, viewer));
  const [users, online, last, unread] = await Promise.all([
    gateway.models.User.find({ _id: { $in: partners } }, { ...refFields, role: 1 }).lean<UserDoc[]>(),
    gateway.presence.online(partners.map(String)),
    Promise.all(conversations.map((conversation) => lastMessage(gateway, conversation))),
    Promise.all(conversations.map((conversation) => countUnread(gateway, conversation, viewer))),
  ]);
  const byId = new Map(users.map((user) => [String(user._id), user]));
  const entries = conversations.flatMap((_, i) => {
    const message = last[i];
    if (!message) return [];
    const id = String(partners[i]);
    const user = byId.get(id);
    return [
      {
        user: {
          ...presentRef(user, id),
          ...(user && !user.deletedAt ? { role: user.role } : {}),
          online: online.has(id),
        },
        lastMessage: {
          id: String(message._id),
          content: message.content,
          ...(message.images?.length ? { images: message.images.length } : {}),
          ...(message.voice ? { voice: true as const } : {}),
          ...(message.view ? { pinned: true as const } : {}),
          createAt: message.createAt.toISOString(),
          senderId: String(message.sender),
        },
        unread: unread[i] ?? 0,
      },
    ];
  });
  return { data: entries.sort((a, b) => b.lastMessage.createAt.localeCompare(a.lastMessage.createAt)) };
}

const partnerOf = (conversation: ConversationDoc, viewer: Viewer): ObjectId =>
  conversation.members.find((member) => !member.equals(viewer._id)) ?? viewer._id;

const lastMessage = (gateway: Gateway, conversation: ConversationDoc) =>
  gateway.models.Message.findOne({ conversation: conversation._id }).sort({ seq: -1 }).lean<MessageDoc>();

/** Counts at each read: a stored counter would have to be right after every crash. */
const countUnread = (gateway: Gateway, conversation: ConversationDoc, viewer: Viewer) =>
  gateway.models.Message.countDocuments(unread(conversation._id, viewer._id), { limit: MAX_UNREAD });

export async function chat({
  gateway,
  viewer,
  params,
  query,
}: Context<typeof messageCalls.chat>): Promise<Answer<Message[]>> {
  const partner = oid(params.userId);
  const conversation = await requireConversation(gateway, viewer, partner);
  // A message that is not in the chat would be another answer than that for no account.
  if (query.before) await requireMayWrite(gateway, viewer, partner);
  const before = query.before ? await requireMessage(gateway, conversation, query.before, 'before') : null;
  const messages = await gateway.models.Message.find({
    conversation,
    ...(before ? { seq: { $lt: before.seq } } : {}),
  })
    .sort({ seq: -1 })
    .limit(query.limit)
    .lean<MessageDoc[]>();
  if (messages.length === 0) await requireMayWrite(gateway, viewer, partner);
  return { data: await presentMessages(gateway, viewer, messages.reverse()) };
}

/** Returns the id of the viewer's conversation with an account, open or closed. */
export async function requireConversation(gateway: Gateway, viewer: Viewer, partner: ObjectId): Promise<string> {
  if (partner.equals(viewer._id) || !(await gateway.models.User.exists({ _id: partner }))) {
    throw new AppError('NOT_FOUND');
  }
  return conversationOf(viewer._id, partner);
}

/**
 * Throws for an empty chat with a person to whom the viewer may not write: the answer would reveal that the person
 * exists.
 */
export async function requireMayWrite(gateway: Gateway, viewer: Viewer, partner: ObjectId): Promise<void> {
  const conversation = conversationOf(viewer._id, partner);
  if (await gateway.models.Conversation.exists({ _id: conversation })) return;
  await requirePartner(gateway, viewer, String(partner));
}

export async function readMessages({
  gateway,
  viewer,
  params,
  body,
}: Context<typeof messageCalls.readMessages>): Promise<Answer<unknown>> {
  await markRead(gateway, viewer, params.userId, body.upTo);
  return { data: null };
}

/**
 * Marks the messages of the other person as read, up to one message or all of them. Notifies the reader's
 * other tabs, and the sender if the policy lets them know.
 */
export async function markRead(
  gateway: Gateway,
  viewer: Viewer,
  userId: string,
  upTo: string | undefined,
): Promise<void> {
  const conversation = conversationOf(viewer._id, oid(userId));
  const existing = await gateway.models.Conversation.findById(conversation).lean<ConversationDoc>();
  if (!existing) {
    // There is no conversation and nothing to mark. Only check that the viewer may write to this person.
    await requirePartner(gateway, viewer, userId);
    return;
  }
  const last = upTo ? await requireMessage(gateway, conversation, upTo, 'upTo') : await lastMessage(gateway, existing);
  if (!last) return;
  const at = gateway.clock.now();
  const [sender, reader] = await Promise.all([partyOf(gateway, oid(userId)), partyOf(gateway, viewer._id)]);
  const reported = messageRules.seesReading(sender, reader);
  const marked = await gateway.models.Message.updateMany(
    { ...unread(conversation, viewer._id), seq: { $lte: last.seq } },
    { $set: { readAt: at, ...(reported ? {} : { readUnreported: true }) } },
  );
  if (marked.modifiedCount === 0) return;
  await gateway.models.Conversation.updateOne({ _id: conversation }, { $max: { [`read.${viewer.id}`]: last.seq } });
  sendMark(gateway, 'message:read', [...(reported ? [userId] : []), viewer.id], {
    userId: viewer.id,
    upTo: String(last._id),
    at: at.toISOString(),
  });
}

/** Marks messages to the viewer as delivered, and notifies their senders. */
export async function markDelivered(gateway: Gateway, viewer: Viewer, ids: string[]): Promise<void> {
  const messages = await gateway.models.Message.find({
    _id: { $in: ids.map(oid) },
    recipient: viewer._id,
    deliveredAt: { $exists: false },
  }).lean<MessageDoc[]>();
  if (messages.length === 0) return;
  const at = gateway.clock.now();
  await gateway.models.Message.updateMany(
    { _id: { $in: messages.map((message) => message._id) } },
    { $set: { deliveredAt: at } },
    onOne,
  );
  for (const [sender, theirs] of groupBySender(messages)) {
    sendMark(gateway, 'message:delivered', [sender], {
      userId: viewer.id,
      ids: theirs.map((message) => String(message._id)),
      at: at.toISOString(),
    });
  }
}

function groupBySender(messages: MessageDoc[]): Map<string, MessageDoc[]> {
  const groups = new Map<string, MessageDoc[]>();
  for (const message of messages) {
    const sender = String(message.sender);
    groups.set(sender, [...(groups.get(sender) ?? []), message]);
  }
  return groups;
}

/** Sends the marks, best effort: a lost one is repaired by the next fetch. */
const sendMark = (
  gateway: Gateway,
  name: 'message:read' | 'message:delivered',
  to: string[],
  refs: Record<string, string | string[]>,
): void => gateway.signals.tell([{ push: { name, to, refs } }]);

interface Mark {
  t: number;
  /** Set while there is more: continue right after this message. Absent: look back by `OVERLAP_MS`. */
  id?: string;
}

export async function messagesSince({
  gateway,
  viewer,
  query,
}: Context<typeof messageCalls.messagesSince>): Promise<
  Answer<{ messages: Message[]; cursor: string; more: boolean }>
> {
  const now = gateway.clock.now();
  const write = (mark: Mark) => sealText(gateway.keys.cursors, `since:${viewer.id}`, JSON.stringify(mark));
  if (!query.cursor) {
    const latest = await gateway.models.Message.find({ members: viewer._id })
      .sort({ createAt: -1, _id: -1 })
      .limit(query.limit)
      .lean<MessageDoc[]>();
    const messages = await presentMessages(gateway, viewer, latest.reverse());
    return { data: { messages, cursor: write({ t: now.getTime() }), more: false } };
  }
  const text = openText(gateway.keys.cursors, `since:${viewer.id}`, query.cursor);
  if (text === null) throw fieldError('cursor', 'This cursor is not valid.');
  const mark = JSON.parse(text) as Mark;
  const from = new Date(mark.id ? mark.t : mark.t - OVERLAP_MS);
  const rows = await gateway.models.Message.find({
    members: viewer._id,
    createAt: { $gte: from },
    ...(mark.id ? { $or: [{ createAt: { $gt: from } }, { _id: { $gt: oid(mark.id) } }] } : {}),
  })
    .sort({ createAt: 1, _id: 1 })
    .limit(query.limit + 1)
    .lean<MessageDoc[]>();
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const more = rows.length > query.limit;
  const next = more && last ? { t: last.createAt.getTime(), id: String(last._id) } : { t: now.getTime() };
  return { data: { messages: await presentMessages(gateway, viewer, shown), cursor: write(next), more } };
}

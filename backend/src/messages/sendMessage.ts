import type { BodyOf } from '@lightbox/contract/call.js';
import type { Message, messageCalls } from '@lightbox/contract/messages/calls.js';
import { userRules } from '@lightbox/contract/users/policy.js';
import { areTied } from '@lightbox/core/access/ties.js';
import { userFacts } from '@lightbox/core/access/users.js';
import type { Core } from '@lightbox/core/core.js';
import { grouped } from '@lightbox/core/db/group.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { majorityHasAll } from '@lightbox/core/db/majority.js';
import { AppError } from '@lightbox/core/errors.js';
import { conversationOf, pushMessages, settleMessages } from '@lightbox/core/messages/messages.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { presentMessage } from './present.js';

type Send = BodyOf<typeof messageCalls.sendMessage>;

export interface Sent {
  message: MessageDoc;
  /** False when the same `clientId` was sent before: it is the message of then. */
  created: boolean;
}

type Store = Pick<Gateway, 'models' | 'clock' | 'db'>;

interface Draft {
  sender: ObjectId;
  recipient: ObjectId;
  content: string;
  clientId: string | undefined;
}

/** Writes messages in groups, each safe on a majority when it is acknowledged. */
export type MessageWriter = (draft: Draft) => Promise<Sent>;

export function createMessageWriter(gateway: Store): MessageWriter {
  return grouped((drafts) => write(gateway, drafts));
}

async function write(gateway: Store, drafts: Draft[]): Promise<Sent[]> {
  const places = await takePlaces(gateway, drafts);
  const messages = drafts.map((draft, i) => toMessage(gateway, draft, places[i] as number));
  const refused = await insert(gateway, messages);
  // By messages that a majority may not have yet: nobody is answered with one of those.
  if (refused.size > 0) await majorityHasAll(gateway.db);
  return Promise.all(
    messages.map(async (message, i) => {
      if (!refused.has(i)) return { message, created: true };
      const first = await original(gateway, message);
      return first ? { message: first, created: false } : writeBeyond(gateway, drafts[i] as Draft, message);
    }),
  );
}

/**
 * Its place was taken: a primary that fell took the last count of the conversation with it, but not the messages. The
 * count is brought up to them, and the message takes a place beyond.
 */
async function writeBeyond(gateway: Store, draft: Draft, { conversation }: MessageDoc): Promise<Sent> {
  const last = await gateway.models.Message.findOne({ conversation }, { seq: 1 }).sort({ seq: -1 }).lean();
  if (!last) throw new AppError('CONFLICT');
  await gateway.models.Conversation.updateOne({ _id: conversation }, { $max: { seq: last.seq } });
  const [sent] = await write(gateway, [draft]);
  return sent as Sent;
}

/** Settles messages in groups, after the push that nothing waits for. */
export type MessageSettler = (message: MessageDoc) => Promise<void>;

export const createMessageSettler = (core: Core): MessageSettler =>
  grouped(async (messages) => {
    await settleMessages(core, messages);
    return messages.map(() => undefined);
  });

/** A place in its conversation for each draft, in the order they came. A place that is not used in the end is a gap. */
async function takePlaces(gateway: Store, drafts: Draft[]): Promise<number[]> {
  const counts = new Map<string, { members: ObjectId[]; wanted: number[] }>();
  drafts.forEach(({ sender, recipient }, i) => {
    const id = conversationOf(sender, recipient);
    const entry = counts.get(id) ?? { members: [sender, recipient], wanted: [] };
    entry.wanted.push(i);
    counts.set(id, entry);
  });
  const places: number[] = [];
  await Promise.all(
    [...counts].map(async ([id, { members, wanted }]) => {
      const last = await advance(gateway, id, members, wanted.length);
      wanted.forEach((draft, k) => {
        places[draft] = last - wanted.length + 1 + k;
      });
    }),
  );
  return places;
}

async function advance(gateway: Store, id: string, members: ObjectId[], by: number): Promise<number> {
  const step = () =>
    gateway.models.Conversation.findOneAndUpdate(
      { _id: id },
      { $inc: { seq: by }, $set: { lastAt: gateway.clock.now() }, $setOnInsert: { members, read: {} } },
      // The messages written next, with a majority, make this durable too.
      { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } },
    ).lean<ConversationDoc>();
  try {
    return (await step())?.seq ?? by;
  } catch (error) {
    // Both sides opened the conversation at the same moment.
    if (!isDuplicate(error)) throw error;
    return (await step())?.seq ?? by;
  }
}

const toMessage = (gateway: Store, draft: Draft, seq: number): MessageDoc => ({
  _id: newId(),
  conversation: conversationOf(draft.sender, draft.recipient),
  seq,
  sender: draft.sender,
  recipient: draft.recipient,
  members: [draft.sender, draft.recipient],
  content: draft.content,
  ...(draft.clientId ? { clientId: draft.clientId } : {}),
  createAt: gateway.clock.now(),
  pending: true,
});

/** Positions of those that the unique index on sender and `clientId` refused. */
async function insert(gateway: Store, messages: MessageDoc[]): Promise<Set<number>> {
  try {
    await gateway.models.Message.collection.insertMany(messages, { ordered: false });
    return new Set();
  } catch (error) {
    const refused = (error as { writeErrors?: { index: number; code: number }[] }).writeErrors;
    if (!refused?.length || refused.some(({ code }) => code !== 11000)) throw error;
    return new Set(refused.map(({ index }) => index));
  }
}

/** The message of the same `clientId`, if there is one. */
async function original(gateway: Store, repeated: MessageDoc): Promise<MessageDoc | null> {
  const { sender, clientId } = repeated;
  return clientId ? gateway.models.Message.findOne({ sender, clientId }).lean<MessageDoc>() : null;
}

/** The one way in for messages, from HTTP and from sockets. */
export async function sendMessage(gateway: Gateway, viewer: Viewer, send: Send): Promise<Sent> {
  await gateway.throttle.take('message', { caller: viewer.id });
  const recipient = await requirePartner(gateway, viewer, send.recipientId);
  const sent = await gateway.writeMessage({
    sender: viewer._id,
    recipient: recipient._id,
    content: send.content,
    clientId: send.clientId?.toLowerCase(),
  });
  if (sent.created) {
    gateway.recentMessages.set(String(sent.message._id), sent.message);
    handOver(gateway, sent.message).catch((error) => gateway.warn(error, 'hand-over put off to the sweeper'));
  }
  return sent;
}

async function handOver(gateway: Gateway, message: MessageDoc): Promise<void> {
  await pushMessages(gateway, [message]);
  await gateway.settleMessage(message);
}

/** The other person, if the two may write to each other; else it is as if they were not there. */
export async function requirePartner(gateway: Gateway, viewer: Viewer, id: string): Promise<UserDoc> {
  const [self, other] = await Promise.all([gateway.readUser(viewer._id), gateway.readUser(oid(id))]);
  if (!self || !other || other.deletedAt) throw new AppError('NOT_FOUND');
  const [own, theirs] = [userFacts(self), userFacts(other)];
  if (!userRules.message(own, theirs, await areTied(gateway, own, theirs))) throw new AppError('NOT_FOUND');
  return other;
}

export async function postMessage({
  gateway,
  viewer,
  body,
  req,
}: Context<typeof messageCalls.sendMessage>): Promise<Answer<Message>> {
  const clientId = body.clientId ?? req.get('idempotency-key');
  const { message, created } = await sendMessage(gateway, viewer, { ...body, clientId });
  return { data: presentMessage(message), status: created ? 201 : 200 };
}

import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import type { Core } from '@lightbox/core/core.js';
import { grouped } from '@lightbox/core/db/group.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { majorityHasAll } from '@lightbox/core/db/majority.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import { conversationOf, settleMessages } from '@lightbox/core/messages/messages.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import type { MessageDoc, MessageVoice } from '@lightbox/core/models/message.js';
import { LRUCache } from 'lru-cache';

export interface Sent {
  message: MessageDoc;
  /** False when the same `clientId` was sent before: `message` is the earlier one then. */
  created: boolean;
}

type Store = Pick<Core, 'models' | 'clock' | 'db'>;

/** The last `seq` that this gateway gave in each conversation. Other gateways may have given more since. */
type Counters = LRUCache<string, number>;

/** The messages that are written next, with a majority, make the write of a counter durable too. */
const onOne = { writeConcern: { w: 1 } } as const;

export interface Draft {
  sender: ObjectId;
  recipient: ObjectId;
  content: string;
  images?: ObjectId[];
  replyTo?: ObjectId;
  voice?: MessageVoice;
  view?: PinnedView;
  clientId: string | undefined;
}

/** Writes messages in groups. A message is on a majority when it is acknowledged. */
export type MessageWriter = (draft: Draft) => Promise<Sent>;

export function createMessageWriter(core: Store): MessageWriter {
  const counters: Counters = new LRUCache({ max: 10_000 });
  return grouped((drafts) => write(core, drafts, counters));
}

async function write(core: Store, drafts: Draft[], counters: Counters): Promise<Sent[]> {
  const seqs = await reserveSeqs(core, drafts, counters);
  const messages = drafts.map((draft, i) => toMessage(core, draft, seqs[i] as number));
  const refused = await insert(core, messages);
  // The messages that caused the refusals may not be on a majority yet: wait before one of them is an answer.
  if (refused.size > 0) await majorityHasAll(core.db);
  return Promise.all(
    messages.map(async (message, i) => {
      if (!refused.has(i)) return { message, created: true };
      const first = await original(core, message);
      return first ? { message: first, created: false } : writeBeyond(core, drafts[i] as Draft, message, counters);
    }),
  );
}

/**
 * Handles a `seq` that is in use: after a failover the conversation's counter can lag behind its messages. Raises the
 * counter and writes again.
 */
async function writeBeyond(core: Store, draft: Draft, { conversation }: MessageDoc, counters: Counters): Promise<Sent> {
  if (!(await raiseCounter(core, conversation))) throw new AppError('CONFLICT');
  counters.delete(conversation);
  const [sent] = await write(core, [draft], counters);
  return sent as Sent;
}

/** Raises the counter of a conversation to its last message. False when it has no message. */
async function raiseCounter(core: Store, conversation: string): Promise<boolean> {
  const last = await core.models.Message.findOne({ conversation }, { seq: 1 }).sort({ seq: -1 }).lean();
  if (last) await core.models.Conversation.updateOne({ _id: conversation }, { $max: { seq: last.seq } });
  return last !== null;
}

/** Tries of a transaction that a unique index refuses: another one has just used the `seq`, or shared the image. */
const MAX_TRIES = 5;

/**
 * Writes a message in one transaction with the changes that belong to it. Of a repeated `clientId` neither is written:
 * it makes the message unique, in place of an idempotency key.
 */
export async function writeMessageWith(
  core: Core,
  { idempotency: _, ...actor }: Actor,
  draft: Draft,
  changes: (tx: Transaction, message: MessageDoc) => Promise<void>,
): Promise<Sent> {
  for (let tries = 1; ; tries++) {
    const seq = await advance(core, conversationOf(draft.sender, draft.recipient), [draft.sender, draft.recipient], 1);
    const message = toMessage(core, draft, seq);
    try {
      await core.events.change(actor, async (tx) => {
        await changes(tx, message);
        await core.models.Message.collection.insertOne(message, { session: tx.session });
        return message._id;
      });
      return { message, created: true };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const first = await original(core, message);
      if (first) return { message: first, created: false };
      if (tries === MAX_TRIES) throw new AppError('CONFLICT');
      await raiseCounter(core, message.conversation);
    }
  }
}

/** Settles messages in groups, after their broadcast. No answer waits for it. */
export type MessageSettler = (message: MessageDoc) => Promise<void>;

export const createMessageSettler = (core: Core): MessageSettler =>
  grouped(async (messages) => {
    await settleMessages(core, messages);
    return messages.map(() => undefined);
  });

interface Wanted {
  id: string;
  members: ObjectId[];
  /** Positions of the drafts. */
  drafts: number[];
}

/**
 * Reserves a `seq` in its conversation for each draft, in the order of their arrival. A `seq` that is not used leaves a
 * gap.
 */
async function reserveSeqs(core: Store, drafts: Draft[], counters: Counters): Promise<number[]> {
  const conversations = new Map<string, Wanted>();
  drafts.forEach(({ sender, recipient }, i) => {
    const id = conversationOf(sender, recipient);
    const entry = conversations.get(id) ?? { id, members: [sender, recipient], drafts: [] };
    entry.drafts.push(i);
    conversations.set(id, entry);
  });
  const all = [...conversations.values()];
  const known = all.filter(({ id }) => counters.has(id));
  const together = known.length > 1 && (await advanceTogether(core, known, counters));
  const seqs: number[] = [];
  await Promise.all(
    all.map(async (wanted) => {
      const { id, members, drafts } = wanted;
      const before = together ? counters.get(id) : undefined;
      const last = before === undefined ? await advance(core, id, members, drafts.length) : before + drafts.length;
      counters.set(id, last);
      drafts.forEach((draft, k) => {
        seqs[draft] = last - drafts.length + 1 + k;
      });
    }),
  );
  return seqs;
}

/**
 * Advances several counters in one command, if each has the value that this gateway gave it last. False when another
 * gateway has advanced one of them: nothing of this command is used then.
 */
async function advanceTogether(core: Store, wanted: Wanted[], counters: Counters): Promise<boolean> {
  const $set = { lastAt: core.clock.now() };
  const { matchedCount } = await core.models.Conversation.collection.bulkWrite(
    wanted.map(({ id, drafts }) => ({
      updateOne: {
        filter: { _id: id as never, seq: counters.get(id) },
        update: { $inc: { seq: drafts.length }, $set },
      },
    })),
    { ordered: false, ...onOne },
  );
  return matchedCount === wanted.length;
}

async function advance(core: Store, id: string, members: ObjectId[], by: number): Promise<number> {
  const step = () =>
    core.models.Conversation.findOneAndUpdate(
      { _id: id },
      { $inc: { seq: by }, $set: { lastAt: core.clock.now() }, $setOnInsert: { members, read: {} } },
      { upsert: true, returnDocument: 'after', ...onOne },
    ).lean<ConversationDoc>();
  try {
    return (await step())?.seq ?? by;
  } catch (error) {
    // Both sides created the conversation at the same time.
    if (!isDuplicate(error)) throw error;
    return (await step())?.seq ?? by;
  }
}

const toMessage = (core: Store, draft: Draft, seq: number): MessageDoc => ({
  _id: newId(),
  conversation: conversationOf(draft.sender, draft.recipient),
  seq,
  sender: draft.sender,
  recipient: draft.recipient,
  members: [draft.sender, draft.recipient],
  content: draft.content,
  ...(draft.images ? { images: draft.images } : {}),
  ...(draft.replyTo ? { replyTo: draft.replyTo } : {}),
  ...(draft.voice ? { voice: draft.voice } : {}),
  ...(draft.view ? { view: draft.view } : {}),
  ...(draft.clientId ? { clientId: draft.clientId } : {}),
  createAt: core.clock.now(),
  pending: true,
});

/** Inserts the messages. Returns the positions of those that a unique index refused. */
async function insert(core: Store, messages: MessageDoc[]): Promise<Set<number>> {
  try {
    await core.models.Message.collection.insertMany(messages, { ordered: false });
    return new Set();
  } catch (error) {
    const refused = (error as { writeErrors?: { index: number; code: number }[] }).writeErrors;
    if (!refused?.length || refused.some(({ code }) => code !== 11000)) throw error;
    return new Set(refused.map(({ index }) => index));
  }
}

/** Returns the earlier message of a repeated draft, once a majority has it. */
export async function findSent(core: Store, draft: Draft): Promise<MessageDoc | null> {
  const { sender, clientId } = draft;
  if (!clientId || !(await core.models.Message.exists({ sender, clientId }).readConcern(NEWEST))) return null;
  await majorityHasAll(core.db);
  return original(core, draft);
}

/** Returns the earlier message with the same `clientId`, if there is one. */
async function original(
  core: Store,
  { sender, clientId }: Pick<Draft, 'sender' | 'clientId'> | MessageDoc,
): Promise<MessageDoc | null> {
  return clientId ? core.models.Message.findOne({ sender, clientId }).lean<MessageDoc>() : null;
}

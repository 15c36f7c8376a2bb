import { setTimeout as sleep } from 'node:timers/promises';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import type { Core } from '@lightbox/core/core.js';
import { isUnconfirmed } from '@lightbox/core/db/away.js';
import { grouped } from '@lightbox/core/db/group.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { majorityHasAll } from '@lightbox/core/db/majority.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import type { LiveUpdate } from '@lightbox/core/events/signals.js';
import { conversationOf, settleMessages, type Told } from '@lightbox/core/messages/messages.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import type { MessageDoc, MessageVoice } from '@lightbox/core/models/message.js';
import type { LRUCache } from 'lru-cache';

export interface Sent {
  message: MessageDoc;
  /** False when the same `clientId` was sent before: `message` is the earlier one then. */
  created: boolean;
}

type Store = Pick<Core, 'models' | 'clock' | 'db'>;

/** The last `seq` of conversations, as far as this gateway knows: other gateways may have given more since. */
export type Counters = LRUCache<string, number>;

/**
 * Messages that are written with or after a counter wait for a majority. If a failover takes back the counter alone, the
 * unique index refuses the next message of the conversation, which then raises it (`moveBehind`).
 */
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

export const createMessageWriter = (core: Store, counters: Counters): MessageWriter =>
  grouped((drafts) => write(core, drafts, counters));

/** Takes over the `seq` of a message that another gateway, or another kind of write, gave in a known conversation. */
export function hearMessage(counters: Counters, { name, to, refs: { seq } }: LiveUpdate): void {
  const [a, b] = to;
  if (name !== 'message:new' || typeof seq !== 'number' || !a || !b) return;
  const id = conversationOf(a, b);
  const known = counters.get(id);
  if (known !== undefined && known < seq) counters.set(id, seq);
}

async function write(core: Store, drafts: Draft[], counters: Counters): Promise<Sent[]> {
  const all = conversationsOf(drafts);
  try {
    const { messages, refused, reserved } = await store(core, drafts, all, counters);
    const earlier = new Map<number, MessageDoc>();
    await findEarlier(core, messages, refused, earlier);
    const late = all.map((wanted) => ({ ...wanted, drafts: lateOf(wanted.drafts, { refused, earlier, reserved }) }));
    await moveBehind(core, messages, { late, refused, earlier, counters });
    const own = new Map(messages.map((message) => [String(message._id), message]));
    return messages.map((message, i) => {
      const first = earlier.get(i);
      return first ? { message: own.get(String(first._id)) ?? first, created: false } : { message, created: true };
    });
  } catch (error) {
    for (const { id } of all) counters.delete(id);
    throw error;
  }
}

/** Finds the earlier messages of repeated drafts among those that a unique index refused. */
async function findEarlier(
  core: Store,
  messages: MessageDoc[],
  refused: Set<number>,
  earlier: Map<number, MessageDoc>,
): Promise<void> {
  if (refused.size === 0) return;
  // The messages that caused the refusals may not be on a majority yet: wait before one of them is an answer.
  await majorityHasAll(core.db);
  await Promise.all(
    [...refused].map(async (i) => {
      const first = await original(core, messages[i] as MessageDoc);
      if (first) earlier.set(i, first);
    }),
  );
}

/**
 * Returns the drafts of a conversation that need a new `seq`. One whose `seq` is in use takes those with it that arrived
 * after it: they are in the order in which they were sent.
 */
function lateOf(
  drafts: number[],
  { refused, earlier, reserved }: Omit<Stored, 'messages'> & { earlier: Map<number, MessageDoc> },
): number[] {
  const stored = drafts.filter((i) => !earlier.has(i));
  if (!reserved) return stored;
  const first = stored.findIndex((i) => refused.has(i));
  return first < 0 ? [] : stored.slice(first);
}

/** Raises the counter of a conversation to its last message. False when it has no message. */
async function raiseCounter(core: Store, conversation: string): Promise<boolean> {
  const last = await core.models.Message.findOne({ conversation }, { seq: 1 }).sort({ seq: -1 }).lean();
  if (last) await core.models.Conversation.updateOne({ _id: conversation }, { $max: { seq: last.seq } });
  return last !== null;
}

/** Tries of a write that a unique index refuses: another one has just used the `seq`, or shared the image. */
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
    const reserve = tries === 1 ? advance : advanceFree;
    const seq = await reserve(core, conversationOf(draft.sender, draft.recipient), [draft.sender, draft.recipient], 1);
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
export type MessageSettler = (message: Told) => Promise<void>;

/** Pause before messages are settled, in milliseconds. It is well below the grace of the sweeper. */
const SETTLE_MS = 100;

export const createMessageSettler = (core: Core): MessageSettler =>
  grouped(async (messages: Told[]) => {
    await sleep(SETTLE_MS, undefined, { ref: false });
    await settleMessages(core, messages);
    return messages.map(() => undefined);
  });

interface Stored {
  messages: MessageDoc[];
  /** Positions of those that a unique index refused. */
  refused: Set<number>;
  /** False when another gateway has advanced a counter meanwhile. */
  reserved: boolean;
}

/** Stores each draft with a `seq` of its conversation, in the order of their arrival. */
async function store(core: Store, drafts: Draft[], all: Wanted[], counters: Counters): Promise<Stored> {
  const make = (seqs: number[]) => drafts.map((draft, i) => toMessage(core, draft, seqs[i] as number));
  // A refused message of several in one conversation would leave a gap below the others before the counter is written.
  const alone = all.length === drafts.length && all.every(({ id }) => counters.has(id));
  if (!alone) {
    const messages = make(await reserveSeqs(core, all, counters));
    return { messages, refused: await insert(core, messages), reserved: true };
  }
  const messages = make(
    drafts.map(({ sender, recipient }) => (counters.get(conversationOf(sender, recipient)) ?? 0) + 1),
  );
  const [reserved, refused] = await Promise.all([advanceTogether(core, all, counters), insert(core, messages)]);
  if (reserved) for (const { conversation, seq } of messages) counters.set(conversation, seq);
  return { messages, refused, reserved };
}

interface Moved {
  /** The conversations, with the positions of the messages that are moved. */
  late: Wanted[];
  /** Positions of messages that are not stored yet. */
  refused: Set<number>;
  earlier: Map<number, MessageDoc>;
  counters: Counters;
}

/**
 * Another gateway has advanced a counter meanwhile, or has used a `seq`, so these messages may stand before some that were
 * acknowledged earlier. Gives each a new `seq`, before anybody is told of it.
 */
async function moveBehind(core: Store, messages: MessageDoc[], { late, refused, earlier, counters }: Moved) {
  for (let tries = 1; ; tries++) {
    const all = late
      .map((wanted) => ({ ...wanted, drafts: wanted.drafts.filter((i) => !earlier.has(i)) }))
      .filter(({ drafts }) => drafts.length > 0);
    if (all.length === 0) return;
    if (tries > MAX_TRIES) throw new AppError('CONFLICT');
    await Promise.all(
      all.map(async ({ id, members, drafts }) => {
        // After a failover the counter itself may be behind.
        await raiseCounter(core, id);
        const last = await advanceFree(core, id, members, drafts.length);
        counters.set(id, last);
        drafts.forEach((draft, k) => {
          (messages[draft] as MessageDoc).seq = last - drafts.length + 1 + k;
        });
      }),
    );
    const positions = all.flatMap(({ drafts }) => drafts);
    const inUse = await place(core, messages, positions, refused);
    for (const i of positions) if (!inUse.has(i)) refused.delete(i);
    if (inUse.size === 0) return;
    await findEarlier(core, messages, new Set([...inUse].filter((i) => refused.has(i))), earlier);
  }
}

/** Gives messages their new `seq`, and inserts the `missing` ones. Returns the positions that a unique index refused. */
async function place(
  core: Store,
  messages: MessageDoc[],
  positions: number[],
  missing: Set<number>,
): Promise<Set<number>> {
  const writes = positions.map((i) => {
    const message = messages[i] as MessageDoc;
    return missing.has(i)
      ? { insertOne: { document: message } }
      : { updateOne: { filter: { _id: message._id }, update: { $set: { seq: message.seq } } } };
  });
  const inUse = await refusedBy(() => core.models.Message.collection.bulkWrite(writes, { ordered: false }));
  return new Set([...inUse].map((k) => positions[k] as number));
}

interface Wanted {
  id: string;
  members: ObjectId[];
  /** Positions of the drafts. */
  drafts: number[];
}

function conversationsOf(drafts: Draft[]): Wanted[] {
  const conversations = new Map<string, Wanted>();
  drafts.forEach(({ sender, recipient }, i) => {
    const id = conversationOf(sender, recipient);
    const entry = conversations.get(id) ?? { id, members: [sender, recipient], drafts: [] };
    entry.drafts.push(i);
    conversations.set(id, entry);
  });
  return [...conversations.values()];
}

/** Reserves a `seq` in its conversation for each draft. A `seq` that is not used leaves a gap. */
async function reserveSeqs(core: Store, all: Wanted[], counters: Counters): Promise<number[]> {
  // Signals of other gateways may raise a known counter during the write.
  const known = all.filter(({ id }) => counters.has(id));
  const before = new Map(known.map(({ id }) => [id, counters.get(id) as number]));
  const together = known.length > 1 && (await advanceTogether(core, known, counters));
  const seqs: number[] = [];
  await Promise.all(
    all.map(async (wanted) => {
      const { id, members, drafts } = wanted;
      const first = together ? before.get(id) : undefined;
      const last = first === undefined ? await advance(core, id, members, drafts.length) : first + drafts.length;
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

/**
 * Reserves numbers that no other gateway tries. A gateway tries only the number after the last one that it knows, so the
 * first one stays free. Returns the last one.
 */
const advanceFree = (core: Store, id: string, members: ObjectId[], by: number): Promise<number> =>
  advance(core, id, members, by + 1);

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
const insert = (core: Store, messages: MessageDoc[]): Promise<Set<number>> =>
  refusedBy(() => core.models.Message.collection.insertMany(messages, { ordered: false }));

/**
 * Returns the positions of those writes of one command that a unique index refused. Throws when no majority has confirmed
 * the others: nothing can be answered then.
 */
async function refusedBy(write: () => Promise<unknown>): Promise<Set<number>> {
  try {
    await write();
    return new Set();
  } catch (error) {
    if (isUnconfirmed(error)) throw error;
    const { writeErrors } = error as { writeErrors?: { index: number; code: number }[] };
    if (!writeErrors?.length || writeErrors.some(({ code }) => code !== 11000)) throw error;
    return new Set(writeErrors.map(({ index }) => index));
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

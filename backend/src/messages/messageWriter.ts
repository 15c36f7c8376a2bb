import { setTimeout as sleep } from 'node:timers/promises';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import type { Core } from '@lightbox/core/core.js';
import { isUnconfirmed } from '@lightbox/core/db/away.js';
import { grouped } from '@lightbox/core/db/group.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { MAJORITY_MS, majorityHasAll } from '@lightbox/core/db/majority.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import type { LiveUpdate } from '@lightbox/core/events/signals.js';
import { conversationOf, settleMessages, type Told } from '@lightbox/core/messages/messages.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import type { MessageDoc, MessageVoice } from '@lightbox/core/models/message.js';
import { LRUCache } from 'lru-cache';

export interface Sent {
  message: MessageDoc;
  /** False when the same `clientId` was sent before: `message` is the earlier one then. */
  created: boolean;
}

type Store = Pick<Core, 'models' | 'clock' | 'db'>;

/** A conversation, as far as this gateway knows it. */
export interface KnownChat {
  /** Its last `seq`. Other gateways may have given more since. */
  seq: number;
  /** The `lastAt` that this gateway wrote last. Milliseconds. */
  lastAt: number;
}

export type KnownChats = LRUCache<string, KnownChat>;

/** They end after an hour, because what removes messages does not tell the gateways. */
export const createKnownChats = (): KnownChats => new LRUCache({ max: 10_000, ttl: 60 * 60_000 });

/** `lastAt` of a conversation is at most this much older than its last message. Milliseconds. */
const LAST_AT_MS = 60_000;

export interface Draft {
  sender: ObjectId;
  recipient: ObjectId;
  content: string;
  images?: ObjectId[];
  replyTo?: ObjectId;
  voice?: MessageVoice;
  view?: PinnedView;
  clientId: string | undefined;
  sentId?: string | undefined;
  requests?: readonly string[] | undefined;
}

/**
 * Writes messages in groups. A message is on a majority when it is acknowledged.
 *
 * The messages of a conversation are numbered without gaps, and a unique index refuses a number that is in use. So a gateway
 * that does not know the newest messages of another one is refused, and cannot place a message before one that was
 * acknowledged earlier.
 */
export type MessageWriter = (draft: Draft) => Promise<Sent>;

export function createMessageWriter(core: Store, known: KnownChats): MessageWriter {
  const writeTogether = grouped((drafts: Draft[]) => write(core, drafts, known));
  return async (draft) => {
    const sent = await writeTogether(draft);
    if (!sent) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    return sent;
  };
}

/** Takes over the `seq` of a message that another gateway, or another kind of write, gave in a known conversation. */
export function hearMessage(known: KnownChats, { name, to, refs: { seq } }: LiveUpdate): void {
  const [a, b] = to;
  if (name !== 'message:new' || typeof seq !== 'number' || !a || !b) return;
  const chat = known.get(conversationOf(a, b));
  if (chat) chat.seq = Math.max(chat.seq, seq);
}

/** Tries of a group in which a unique index refuses all that is left. */
const MAX_TURNS = 20;
/** A little more than a write of a group takes. Milliseconds. */
const TURN_MS = 10;

/** Returns null for a draft whose chat another gateway kept busy at each try. */
async function write(core: Store, drafts: Draft[], known: KnownChats): Promise<(Sent | null)[]> {
  const all = drafts.map((draft) => toMessage(core, draft));
  const messages = withoutRepetitions(all);
  const earlier = new Map<MessageDoc, MessageDoc>();
  let left = [...messages.values()];
  try {
    let stale = new Set<string>();
    for (let tries = 1; left.length > 0 && tries <= MAX_TURNS; tries++) {
      // Another gateway writes to the chat without a pause: a random moment falls between two writes of it.
      if (tries > 2) await sleep(Math.random() * TURN_MS);
      await number(core, left, known, stale);
      const { refused, rest } = await insert(core, left, known);
      if (refused.size > 0) {
        const unsure = [...refused, ...rest];
        const sent = await sentBefore(core, unsure);
        for (const message of unsure) {
          const first = sent.get(keyOf(message));
          if (first) earlier.set(message, first);
        }
      }
      const again = left.filter((message) => (refused.has(message) || rest.has(message)) && !earlier.has(message));
      stale = new Set(again.filter((message) => refused.has(message)).map(({ conversation }) => conversation));
      if (again.length < left.length) tries = 0;
      // The others come first: in one command, a message that is refused stops those after it.
      left = [
        ...again.filter(({ conversation }) => !stale.has(conversation)),
        ...again.filter(({ conversation }) => stale.has(conversation)),
      ];
    }
  } catch (error) {
    for (const { conversation } of all) known.delete(conversation);
    throw error;
  }
  const unwritten = new Set(left);
  return all.map((message) => {
    const own = messages.get(keyOf(message)) as MessageDoc;
    const first = earlier.get(own);
    if (unwritten.has(own)) return null;
    return { message: first ?? own, created: !first && own === message };
  });
}

/** The same for each repetition of a message. */
const keyOf = ({ _id, sender, clientId }: MessageDoc): string => (clientId ? `${sender} ${clientId}` : String(_id));

/** The first of each message that a group contains several times, by its key. */
function withoutRepetitions(all: MessageDoc[]): Map<string, MessageDoc> {
  const messages = new Map<string, MessageDoc>();
  for (const message of all) if (!messages.has(keyOf(message))) messages.set(keyOf(message), message);
  return messages;
}

/** Gives each message the next `seq` of its conversation. Reads the last one of conversations that are not known, or `stale`. */
async function number(core: Store, messages: MessageDoc[], known: KnownChats, stale: Set<string>): Promise<void> {
  const members = new Map(messages.map((message) => [message.conversation, message.members]));
  const chats = new Map(
    await Promise.all(
      [...members].map(async ([id, people]): Promise<[string, KnownChat]> => {
        const chat = known.get(id);
        if (!chat) return [id, await open(core, id, people)];
        if (stale.has(id)) {
          const last = await lastSeq(core, id);
          chat.seq = Math.max(chat.seq, last);
        }
        return [id, chat];
      }),
    ),
  );
  for (const [id, chat] of chats) if (known.get(id) !== chat) known.set(id, chat);
  const last = new Map([...chats].map(([id, { seq }]) => [id, seq]));
  for (const message of messages) {
    message.seq = (last.get(message.conversation) as number) + 1;
    last.set(message.conversation, message.seq);
  }
}

/** Makes sure that a conversation exists on a majority, and returns what is known of it. */
async function open(core: Store, id: string, members: ObjectId[]): Promise<KnownChat> {
  // Before the conversation is read: who removes messages writes their last number into it.
  const last = await lastSeq(core, id);
  const now = core.clock.now();
  const touch = () =>
    core.models.Conversation.findOneAndUpdate(
      { _id: id },
      { $max: { lastAt: now }, $setOnInsert: { members, seq: 0, read: {} } },
      { upsert: true, returnDocument: 'after' },
    ).lean<ConversationDoc>();
  const chat = await touch().catch((error) => {
    // Both sides created the conversation at the same time.
    if (!isDuplicate(error)) throw error;
    return touch();
  });
  return { seq: Math.max(chat?.seq ?? 0, last), lastAt: now.getTime() };
}

/**
 * The last `seq` in use. It waits until a majority has it: the `seq` after one that a failover undoes would leave a number
 * free, for a message that is sent later.
 */
async function lastSeq(core: Store, conversation: string): Promise<number> {
  const last = await core.models.Message.findOne({ conversation }, { seq: 1 })
    .sort({ seq: -1 })
    .readConcern('linearizable')
    .maxTimeMS(MAJORITY_MS)
    .lean<MessageDoc>();
  return last?.seq ?? 0;
}

interface Inserted {
  /** Those that a unique index refused. */
  refused: Set<MessageDoc>;
  /** Those that were not tried after a refusal. */
  rest: Set<MessageDoc>;
}

/**
 * Inserts messages. Of several in one conversation none is tried after one that was refused: it would leave a gap before
 * itself.
 */
async function insert(core: Store, messages: MessageDoc[], known: KnownChats): Promise<Inserted> {
  const counts = new Map<string, number>();
  for (const { conversation } of messages) counts.set(conversation, (counts.get(conversation) ?? 0) + 1);
  const isAlone = ({ conversation }: MessageDoc) => counts.get(conversation) === 1;
  const [alone, several] = [messages.filter(isAlone), messages.filter((message) => !isAlone(message))];
  // Nothing of a group may go on after its answer.
  const ends = await Promise.allSettled([
    insertAll(core, alone, false),
    insertAll(core, several, true),
    touchOld(core, counts.keys(), known),
  ]);
  const inserted = ends.slice(0, 2).map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value as Inserted;
  });
  const refused = new Set(inserted.flatMap((one) => [...one.refused]));
  const rest = new Set(inserted.flatMap((one) => [...one.rest]));
  for (const message of messages) {
    const chat = known.get(message.conversation);
    if (chat && !refused.has(message) && !rest.has(message)) chat.seq = Math.max(chat.seq, message.seq);
  }
  return { refused, rest };
}

async function insertAll(core: Store, messages: MessageDoc[], ordered: boolean): Promise<Inserted> {
  const positions =
    messages.length > 0
      ? await refusedBy(() => core.models.Message.collection.insertMany(messages, { ordered }))
      : new Set<number>();
  const end = ordered ? Math.min(...positions, messages.length) : messages.length;
  return {
    refused: new Set(messages.filter((_, i) => positions.has(i))),
    rest: new Set(messages.slice(end + 1)),
  };
}

/**
 * Writes the time of conversations whose last one is old. Lists of conversations and known patients read it. After a fault
 * the next message tries again.
 */
async function touchOld(core: Store, chats: Iterable<string>, known: KnownChats): Promise<void> {
  const now = core.clock.now();
  const old = [...chats].filter((id) => now.getTime() - (known.get(id)?.lastAt ?? 0) >= LAST_AT_MS);
  if (old.length === 0) return;
  await core.models.Conversation.updateMany({ _id: { $in: old } }, { $max: { lastAt: now } });
  for (const id of old) {
    const chat = known.get(id);
    if (chat) chat.lastAt = now.getTime();
  }
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
  const message = toMessage(core, draft);
  const { conversation } = message;
  const { seq } = await open(core, conversation, message.members);
  for (let tries = 1; ; tries++) {
    try {
      await core.events.change(actor, async (tx) => {
        await changes(tx, message);
        // Read outside the transaction, which sees what was in use when it began.
        message.seq = Math.max(seq, await lastSeq(core, conversation)) + 1;
        await core.models.Message.collection.insertOne(message, { session: tx.session });
        return message._id;
      });
      return { message, created: true };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const first = await original(core, message);
      if (first) return { message: first, created: false };
      if (tries === MAX_TRIES) throw new AppError('CONFLICT');
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

/** A message that has no `seq` yet. */
const toMessage = (core: Store, draft: Draft): MessageDoc => ({
  _id: newId(core.clock.now()),
  conversation: conversationOf(draft.sender, draft.recipient),
  seq: 0,
  sender: draft.sender,
  recipient: draft.recipient,
  members: [draft.sender, draft.recipient],
  content: draft.content,
  ...(draft.images ? { images: draft.images } : {}),
  ...(draft.replyTo ? { replyTo: draft.replyTo } : {}),
  ...(draft.voice ? { voice: draft.voice } : {}),
  ...(draft.view ? { view: draft.view } : {}),
  ...(draft.clientId ? { clientId: draft.clientId } : {}),
  ...(draft.sentId ? { sentId: draft.sentId } : {}),
  ...(draft.requests?.[0] ? { request: draft.requests[0] } : {}),
  createAt: core.clock.now(),
  pending: true,
});

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

interface Repeatable {
  sender: ObjectId;
  clientId?: string | undefined;
}

/** Returns the earlier message of a repeated draft, once a majority has it. */
export const findSent = async (core: Store, draft: Repeatable): Promise<MessageDoc | null> =>
  [...(await sentBefore(core, [draft])).values()][0] ?? null;

/** Returns the earlier messages of repeated ones by their keys, once a majority has them. */
async function sentBefore(core: Store, messages: Repeatable[]): Promise<Map<string, MessageDoc>> {
  const keys = messages.flatMap(({ sender, clientId }) => (clientId ? [{ sender, clientId }] : []));
  if (keys.length === 0 || !(await core.models.Message.exists({ $or: keys }).readConcern(NEWEST))) return new Map();
  await majorityHasAll(core.db);
  const found = await core.models.Message.find({ $or: keys }).lean<MessageDoc[]>();
  return new Map(found.map((message) => [keyOf(message), message]));
}

/** Returns the earlier message with the same `clientId`, if there is one. */
async function original(core: Store, { sender, clientId }: Repeatable): Promise<MessageDoc | null> {
  return clientId ? core.models.Message.findOne({ sender, clientId }).lean<MessageDoc>() : null;
}

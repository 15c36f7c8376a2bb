import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import { onOne } from '../db/onOne.js';
import type { Signal } from '../events/signals.js';
import type { MessageDoc } from '../models/message.js';
import { pushedAmong } from '../push/deliveries.js';
import type { JobRequest } from '../queues/queues.js';
import { storeDeliveries, type WebhookNews } from '../webhooks/deliveries.js';

/** Returns the id of the conversation of two people. */
export const conversationOf = (a: ObjectId | string, b: ObjectId | string): string =>
  [String(a), String(b)].sort().join('_');

/**
 * Filter for the unread messages of a conversation. It uses `readAt`, not `seq`: an older version of the gateway may use
 * a `seq` late that it reserved early.
 */
export const unread = (conversation: string, recipient: ObjectId) => ({ conversation, recipient, readAt: null });

/** Milliseconds that a message may need to reach a tab in the foreground before devices are notified. */
const PUSH_AFTER_MS = 2_000;

const liveUpdateOf = (message: MessageDoc): Signal => ({
  push: {
    name: 'message:new',
    to: [String(message.recipient), String(message.sender)],
    refs: { record: String(message._id), seq: message.seq },
  },
});

/** Sends messages to the gateways that hold the sockets of sender and recipient. */
export const broadcastMessages = (core: Core, messages: MessageDoc[]): Promise<void> =>
  core.signals.send(messages.map(liveUpdateOf));

/** The key of a waiting push. All messages to one person during the wait share that push. */
export const oncePush = (recipient: ObjectId): string => `push-${recipient}`;

/** The part of a message that its hand-over needs after the broadcast. */
export type Told = Pick<MessageDoc, '_id' | 'recipient' | 'sender' | 'createAt'>;

const devicePush = (message: Told): JobRequest => ({
  name: 'pushMessage',
  data: { messageId: String(message._id) },
  once: oncePush(message.recipient),
  delayMs: PUSH_AFTER_MS,
});

const webhookNews = ({ _id, recipient, sender, createAt }: Told): WebhookNews => ({
  event: _id,
  type: 'message.new',
  data: { messageId: String(_id), userId: String(sender) },
  at: createAt,
  people: [recipient],
});

/**
 * Does the less urgent work after a broadcast: queues notifications for devices and webhooks, and marks the messages as handed over.
 */
export async function settleMessages(core: Core, messages: Told[]): Promise<void> {
  const [pushed, deliveries] = await Promise.all([
    pushedAmong(
      core,
      messages.map((message) => message.recipient),
    ),
    storeDeliveries(core.models, core.clock, messages.map(webhookNews)),
  ]);
  await core.queues.add([
    ...messages.filter(({ recipient }) => pushed.has(String(recipient))).map(devicePush),
    ...deliveries,
  ]);
  await core.models.Message.updateMany(
    { _id: { $in: messages.map((message) => message._id) } },
    { $set: { pending: false } },
    onOne,
  );
}

/**
 * Hands messages over to the gateways and then marks them. A message is one document and its own event. Repeating it
 * after a crash is harmless, because clients know messages by id.
 */
export async function dispatchMessages(core: Core, messages: MessageDoc[]): Promise<void> {
  await broadcastMessages(core, messages);
  await settleMessages(core, messages);
}

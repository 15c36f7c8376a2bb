import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Signal } from '../events/signals.js';
import type { MessageDoc } from '../models/message.js';
import { pushedAmong } from '../push/deliveries.js';
import type { JobRequest } from '../queues/queues.js';

/** The name of the conversation of two people. */
export const conversationOf = (a: ObjectId, b: ObjectId): string => [String(a), String(b)].sort().join('_');

/** What lies unread of a conversation. Its mark says so, not its place: a place that was taken early may be used late. */
export const unread = (conversation: string, recipient: ObjectId) => ({ conversation, recipient, readAt: null });

/** How long a message may be on its way to a tab that somebody looks at before devices are told, milliseconds. */
const PUSH_AFTER_MS = 2_000;

const pushOf = (message: MessageDoc): Signal => ({
  push: {
    name: 'message:new',
    to: [String(message.recipient), String(message.sender)],
    refs: { record: String(message._id) },
  },
});

/** Shows messages to the gateways that hold their people's sockets. */
export const broadcastMessages = (core: Core, messages: MessageDoc[]): Promise<void> =>
  core.signals.send(messages.map(pushOf));

/** Of all that is written to one person while a push waits, that push tells. */
export const oncePush = (recipient: ObjectId): string => `push-${recipient}`;

const devicePush = (message: MessageDoc): JobRequest => ({
  name: 'pushMessage',
  data: { messageId: String(message._id) },
  once: oncePush(message.recipient),
  delayMs: PUSH_AFTER_MS,
});

/** What need not be quick once messages were pushed: telling devices, and the mark that all was done. */
export async function settleMessages(core: Core, messages: MessageDoc[]): Promise<void> {
  const pushed = await pushedAmong(
    core,
    messages.map((message) => message.recipient),
  );
  await core.queues.add(messages.filter(({ recipient }) => pushed.has(String(recipient))).map(devicePush));
  await core.models.Message.updateMany(
    { _id: { $in: messages.map((message) => message._id) } },
    { $set: { pending: false } },
    { writeConcern: { w: 1 } },
  );
}

/**
 * A message is one document and carries its own event. This hands it to the gateways and then marks it; doing it again
 * after a crash is harmless, since clients know messages by id.
 */
export async function dispatchMessages(core: Core, messages: MessageDoc[]): Promise<void> {
  await broadcastMessages(core, messages);
  await settleMessages(core, messages);
}

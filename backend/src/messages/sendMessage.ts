import type { BodyOf } from '@lightbox/contract/call.js';
import type { Message, messageCalls } from '@lightbox/contract/messages/calls.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import { broadcastMessages, conversationOf } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { addShares, newAct } from '../sharing/addShares.js';
import { requireAttachable } from './attachments.js';
import { type Draft, findSent, type Sent, writeMessageWith } from './messageWriter.js';
import { requirePartner } from './partner.js';
import { requirePinnable } from './pinned.js';
import { presentMessage } from './present.js';
import { requireQuoted } from './quotes.js';
import { repeatable, requireSame, statusOf } from './requestKey.js';

type Send = BodyOf<typeof messageCalls.sendMessage>;

/** Sends a message, from HTTP and from sockets. */
export async function sendMessage(gateway: Gateway, viewer: Viewer, actor: Actor, send: Send): Promise<Sent> {
  await gateway.throttle.take('message', { caller: viewer.id });
  const recipient = await requirePartner(gateway, viewer, send.recipientId);
  const replyTo = await requireQuoted(gateway, conversationOf(viewer._id, recipient._id), send.replyTo);
  const draft = {
    sender: viewer._id,
    recipient: recipient._id,
    content: send.content,
    ...(send.images ? { images: send.images.map(oid) } : {}),
    ...(replyTo ? { replyTo } : {}),
    ...(send.view ? { view: send.view } : {}),
    ...repeatable(actor, send.clientId),
  };
  await requirePinnable(gateway, viewer, draft);
  const sent = draft.images
    ? await sendImages(gateway, viewer, actor, recipient, { ...draft, images: draft.images })
    : await gateway.writeMessage(draft);
  if (sent.created) announce(gateway, sent.message);
  else requireSame(draft, sent.message);
  return sent;
}

/** Sends a stored message to the browsers of its two people. */
export function announce(gateway: Gateway, message: MessageDoc): void {
  gateway.recentMessages.set(String(message._id), message);
  handOver(gateway, message).catch((error) =>
    gateway.warn(error, 'the hand-over of a message failed; the sweeper repeats it'),
  );
}

/**
 * Sends a message with images. The images that the recipient has no access to are shared in the same transaction, as
 * one act. A repeated message is answered before the access is looked at: it must not share again what was revoked
 * since.
 */
async function sendImages(
  gateway: Gateway,
  viewer: Viewer,
  actor: Actor,
  { _id, role }: Pick<UserDoc, '_id' | 'role'>,
  draft: Draft & { images: ObjectId[] },
): Promise<Sent> {
  const earlier = await findSent(gateway, draft);
  if (earlier) return { message: earlier, created: false };
  const given = await requireAttachable(gateway, viewer, { _id, id: String(_id), role }, draft.images);
  if (given.length === 0) return gateway.writeMessage(draft);
  await gateway.throttle.take('attachedShare', { caller: viewer.id });
  const hours = await gateway.settings.get('sharing.expiryHours');
  return writeMessageWith(gateway, actor, draft, (tx) => shareAll(gateway, tx, given, _id, viewer._id, hours));
}

async function shareAll(
  gateway: Gateway,
  tx: Transaction,
  images: ObjectId[],
  recipient: ObjectId,
  sharedBy: ObjectId,
  hours: number,
): Promise<void> {
  if (!(await holdUser(gateway.models, { _id: recipient }, tx.session))) throw new AppError('NOT_FOUND');
  const act = newAct();
  for (const image of images) await addShares(gateway, tx, { image }, [recipient], { sharedBy, hours }, act);
}

async function handOver(gateway: Gateway, message: MessageDoc): Promise<void> {
  const { _id, recipient, sender, createAt } = message;
  await broadcastMessages(gateway, [message]);
  await gateway.settleMessage({ _id, recipient, sender, createAt });
}

export async function postMessage({
  gateway,
  viewer,
  actor,
  body,
}: Context<typeof messageCalls.sendMessage>): Promise<Answer<Message>> {
  const { message, created } = await sendMessage(gateway, viewer, actor, body);
  return { data: await presentMessage(gateway, viewer, message), status: statusOf(created, body.clientId) };
}

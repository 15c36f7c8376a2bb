import type { BodyOf } from '@lightbox/contract/call.js';
import type { Message, messageCalls } from '@lightbox/contract/messages/calls.js';
import { userRules } from '@lightbox/contract/users/policy.js';
import { areTied } from '@lightbox/core/access/ties.js';
import { userFacts } from '@lightbox/core/access/users.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { broadcastMessages } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import type { Sent } from './messageWriter.js';
import { presentMessage } from './present.js';

type Send = BodyOf<typeof messageCalls.sendMessage>;

/** Sends a message, from HTTP and from sockets. */
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
    handOver(gateway, sent.message).catch((error) =>
      gateway.warn(error, 'the hand-over of a message failed; the sweeper repeats it'),
    );
  }
  return sent;
}

async function handOver(gateway: Gateway, message: MessageDoc): Promise<void> {
  await broadcastMessages(gateway, [message]);
  await gateway.settleMessage(message);
}

/** Returns the other person if the two may write to each other. Throws `NOT_FOUND` otherwise. */
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

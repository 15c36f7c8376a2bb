import type { Message } from '@lightbox/contract/messages/calls.js';
import { messageRules } from '@lightbox/contract/messages/policy.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Gateway, Viewer } from '../context.js';
import { findAttached, presentAttachment } from './attachments.js';
import { pinnedViews } from './pinned.js';
import { findQuotes } from './quotes.js';
import { partyOf } from './receipts.js';
import { chosenId } from './requestKey.js';
import { presentVoice } from './voice/presentVoice.js';

type Reader = Pick<Viewer, 'id' | 'role' | '_id'>;

/** True for a message of text alone that nobody has read: it takes no query. */
const isPlain = ({ images, replyTo, view, readAt }: MessageDoc): boolean => !(images || replyTo || view || readAt);
const nothing = [new Map<string, never>(), () => false, new Map<string, never>(), () => undefined] as const;

/**
 * Presents messages to one of the two people of their chats, with a few queries for any number of messages. The access
 * to attached images and the reading of the other side are those that the policies allow now.
 */
export async function presentMessages(gateway: Gateway, reader: Reader, messages: MessageDoc[]): Promise<Message[]> {
  const [attached, seesReading, quotes, viewOf] = messages.every(isPlain)
    ? nothing
    : await Promise.all([
        findAttached(
          gateway,
          reader,
          messages.flatMap(({ images = [] }) => images),
        ),
        readersShown(gateway, reader, messages),
        findQuotes(gateway, messages),
        pinnedViews(gateway, reader, messages),
      ]);
  return messages.map((message) => {
    const { _id, seq, sender, recipient, content, images, replyTo, voice, createAt, deliveredAt, readAt } = message;
    const clientId = chosenId(message);
    const quote = quotes.get(String(replyTo));
    const own = sender.equals(reader._id);
    const view = viewOf(message);
    const shown = !own || (!message.readUnreported && seesReading(recipient));
    return {
      id: String(_id),
      seq,
      senderId: String(sender),
      recipientId: String(recipient),
      content,
      ...(images?.length
        ? {
            attachments: images.map((id) => {
              const image = attached.get(String(id));
              return image
                ? presentAttachment(reader, image)
                : { imageId: String(id), access: 'none' as const, deleted: true as const };
            }),
          }
        : {}),
      ...(quote ? { replyTo: quote } : {}),
      ...(voice ? { voice: presentVoice(voice) } : {}),
      ...(view ? { view } : {}),
      createAt: createAt.toISOString(),
      ...(clientId ? { clientId } : {}),
      ...(deliveredAt ? { deliveredAt: deliveredAt.toISOString() } : {}),
      ...(readAt && shown ? { readAt: readAt.toISOString() } : {}),
    };
  });
}

/** Presented messages that both people see alike, by their records: the answer and the pushes to both sides share one. */
const presentedAlike = new WeakMap<MessageDoc, Message>();

/** Presents one message, as `presentMessages` does. */
export async function presentMessage(gateway: Gateway, reader: Reader, message: MessageDoc): Promise<Message> {
  const known = presentedAlike.get(message);
  if (known) return known;
  const [presented] = (await presentMessages(gateway, reader, [message])) as [Message];
  if (isPlain(message)) presentedAlike.set(message, presented);
  return presented;
}

/** Returns a function that is true for the recipients whose reading the sender of these messages may see. */
async function readersShown(
  gateway: Gateway,
  reader: Reader,
  messages: MessageDoc[],
): Promise<(recipient: ObjectId) => boolean> {
  const read = messages.filter(({ sender, readAt }) => readAt && sender.equals(reader._id));
  const ids = [...new Map(read.map(({ recipient }) => [String(recipient), recipient])).values()];
  if (ids.length === 0) return () => false;
  const [self, ...others] = await Promise.all([reader._id, ...ids].map((id) => partyOf(gateway, id)));
  const shown = new Set(
    ids.flatMap((id, i) => (self && others[i] && messageRules.seesReading(self, others[i]) ? String(id) : [])),
  );
  return (recipient) => shown.has(String(recipient));
}

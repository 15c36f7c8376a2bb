import type { Quote } from '@lightbox/contract/messages/quote.js';
import { quoteOf } from '@lightbox/contract/messages/quoteOf.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Gateway } from '../context.js';
import { requireMessage } from './requireMessage.js';

/** Returns the id of the message that a new one answers. Throws when it is not a message of the same conversation. */
export async function requireQuoted(
  gateway: Gateway,
  conversation: string,
  id: string | undefined,
): Promise<ObjectId | undefined> {
  return id === undefined ? undefined : (await requireMessage(gateway, conversation, id, 'replyTo'))._id;
}

/** Reads the messages that these messages answer, by their ids. They are of the same conversations. */
export async function findQuotes({ models }: Gateway, messages: MessageDoc[]): Promise<Map<string, Quote>> {
  const ids = messages.flatMap(({ replyTo }) => (replyTo ? [replyTo] : []));
  if (ids.length === 0) return new Map();
  const known = new Map(messages.map((message) => [String(message._id), message]));
  const others = ids.filter((id) => !known.has(String(id)));
  const found = others.length > 0 ? await models.Message.find({ _id: { $in: others } }).lean<MessageDoc[]>() : [];
  for (const message of found) known.set(String(message._id), message);
  return new Map(
    ids.flatMap((id) => {
      const message = known.get(String(id));
      return message ? [[String(id), present(message)] as const] : [];
    }),
  );
}

const present = ({ _id, sender, content, images, voice, view }: MessageDoc): Quote =>
  quoteOf({ id: String(_id), senderId: String(sender), content, images: images?.length, voice, view });

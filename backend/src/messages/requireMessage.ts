import { oid } from '@lightbox/core/db/ids.js';
import { fieldError } from '@lightbox/core/errors.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Gateway } from '../context.js';

/** Returns a message of a conversation. Throws for the id of any other message: the field is wrong. */
export async function requireMessage(
  gateway: Gateway,
  conversation: string,
  id: string,
  field: string,
): Promise<MessageDoc> {
  const message = await gateway.models.Message.findOne({ _id: oid(id), conversation }).lean<MessageDoc>();
  if (!message) throw fieldError(field, 'This message is not in this chat.');
  return message;
}

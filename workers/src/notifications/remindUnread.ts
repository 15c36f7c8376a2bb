import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { ConversationDoc, MessageDoc } from '@lightbox/core/models/types.js';
import type { Transporter } from 'nodemailer';
import { deliver, note } from '../mail/sendMail.js';

/** Tells by mail that something is unread, if it still is. */
export async function remindUnread(core: Core, mailer: Transporter, messageId: string): Promise<void> {
  const message = await core.models.Message.findById(oid(messageId)).lean<MessageDoc>();
  if (!message) return;
  const conversation = await core.models.Conversation.findById(message.conversation).lean<ConversationDoc>();
  const readTo = conversation?.read[String(message.recipient)] ?? 0;
  const mailId = `${messageId}-unreadMessages`;
  if (readTo >= message.seq || (await core.models.SentMail.exists({ _id: mailId }))) return;
  await deliver(core, mailer, mailId, 'unreadMessages', {
    to: message.recipient,
    facts: { link: `${core.config.publicUrl}/messages?chat=${message.sender}` },
  });
  await note(core, mailId);
}

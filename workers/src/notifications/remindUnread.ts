import type { Core } from '@lightbox/core/core.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { unread } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Transporter } from 'nodemailer';
import { deliver, note } from '../mail/sendMail.js';

/** The recipient of a message gets a mail when it is unread for this long. */
const REMIND_AFTER_MS = 15 * 60_000;
/** Older unread messages cause no mail. */
const LOOK_BACK_MS = 48 * 3_600_000;
const BATCH = 500;

/** Enters a reminder for every chat with a message that is unread for long enough and in no mail yet. */
export async function remindOfUnread(core: Core): Promise<void> {
  const now = core.clock.now().getTime();
  const createAt = { $gt: new Date(now - LOOK_BACK_MS), $lte: new Date(now - REMIND_AFTER_MS) };
  const chats = await core.models.Message.aggregate<{ message: ObjectId }>([
    { $match: { readAt: null, remindedAt: null, createAt } },
    { $sort: { createAt: 1 } },
    { $group: { _id: { conversation: '$conversation', recipient: '$recipient' }, message: { $first: '$_id' } } },
    { $limit: BATCH },
  ]);
  await core.queues.add(
    chats.map(({ message }) => ({
      name: 'remindUnread',
      data: { messageId: String(message) },
      id: `${message}-unread`,
    })),
  );
}

/** Sends one mail for all unread messages of a chat, if there still are some. */
export async function remindUnread(core: Core, mailer: Transporter, messageId: string): Promise<void> {
  const { models, clock, config } = core;
  const message = await models.Message.findById(oid(messageId)).lean<MessageDoc>();
  if (!message || message.remindedAt) return;
  const { conversation, recipient, sender } = message;
  const now = clock.now();
  const waiting = { ...unread(conversation, recipient), remindedAt: null };
  const oldest = await models.Message.findOne(waiting).sort({ seq: 1 }).lean<MessageDoc>();
  if (!oldest || oldest.createAt.getTime() > now.getTime() - REMIND_AFTER_MS) return;
  const mailId = `${oldest._id}-unreadMessages`;
  if (!(await models.SentMail.exists({ _id: mailId }))) {
    const link = `${config.publicUrl}/messages?chat=${sender}`;
    await deliver(core, mailer, mailId, 'unreadMessages', { to: recipient, facts: { link } });
    await note(core, mailId);
  }
  await models.Message.updateMany({ ...waiting, createAt: { $lte: now } }, { $set: { remindedAt: now } });
}

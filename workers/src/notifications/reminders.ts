import { limits } from '@lightbox/contract/limits.js';
import type { NoticeSettings } from '@lightbox/contract/notifications/choices.js';
import { deliver as decide } from '@lightbox/contract/notifications/policy.js';
import { pushKinds } from '@lightbox/contract/push/calls.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { unread } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { ReminderChannel, ReminderDoc } from '@lightbox/core/models/reminder.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { noticeSettingsOf } from '@lightbox/core/notifications/noticeSettings.js';
import { planReminder } from '@lightbox/core/notifications/reminders.js';
import { queueDeliveries } from '@lightbox/core/push/deliveries.js';
import type { JobData } from '@lightbox/core/queues/jobs.js';
import type { Transporter } from 'nodemailer';
import type { JobContext } from '../jobContext.js';
import { send } from '../mail/sendMail.js';
import { inBatches } from '../maintenance/inBatches.js';

const minute = 60_000;
const MESSAGE_AFTER_MS = limits.messageMailMinutes * minute;
const PAUSE_MS = limits.noticeMailPauseMinutes * minute;
/** Older unread messages cause no mail. */
const LOOK_BACK_MS = 48 * 60 * minute;
/** Reminders that are due for this long belong to a job that Redis lost, or that ended with its worker. They get a new one. */
const GIVEN_UP_MS = 3 * 60 * minute;
const BATCH = 500;

type DueReminder = ReminderDoc & { dueAt: Date };

/** Plans a mail for every chat with a message that is unread for long enough and in no reminder yet. */
export async function remindOfMessages(core: Core): Promise<void> {
  const now = core.clock.now();
  const createAt = {
    $gt: new Date(now.getTime() - LOOK_BACK_MS),
    $lte: new Date(now.getTime() - MESSAGE_AFTER_MS),
  };
  const chats = await core.models.Message.aggregate<{
    _id: { conversation: string; recipient: ObjectId };
    message: ObjectId;
  }>([
    { $match: { readAt: null, remindedAt: null, createAt } },
    { $sort: { createAt: 1 } },
    { $group: { _id: { conversation: '$conversation', recipient: '$recipient' }, message: { $first: '$_id' } } },
    { $limit: BATCH },
  ]);
  for (const { _id, message } of chats) {
    const { conversation, recipient } = _id;
    await planReminder(core, {
      user: recipient,
      channel: 'mail',
      kind: 'message.new',
      about: 'message',
      record: message,
      dueAt: now,
    });
    await core.models.Message.updateMany(
      { ...unread(conversation, recipient), remindedAt: null, createAt: { $lte: now } },
      { $set: { remindedAt: now } },
    );
  }
}

/** Enters one job for each person and channel with reminders that are due, however many wait for a mail server. */
export async function enterReminders(core: Core): Promise<void> {
  const { models, clock, queues } = core;
  const now = clock.now();
  await models.Reminder.updateMany(
    { dueAt: { $lte: new Date(now.getTime() - GIVEN_UP_MS) } },
    { $set: { dueAt: now } },
  );
  const due = models.Reminder.aggregate<{
    _id: { user: ObjectId; channel: ReminderChannel };
    first: ObjectId;
    dueAt: Date;
  }>([
    // Reminders of kinds that only a newer version knows wait for it.
    { $match: { dueAt: { $lte: now }, kind: { $in: [...pushKinds] } } },
    { $sort: { dueAt: 1, _id: 1 } },
    {
      $group: {
        _id: { user: '$user', channel: '$channel' },
        first: { $first: '$_id' },
        dueAt: { $first: '$dueAt' },
      },
    },
  ]).cursor({ batchSize: BATCH });
  for await (const batch of inBatches(due, BATCH)) {
    await queues.add(
      batch.map(({ _id: { user, channel }, first, dueAt }) => ({
        name: 'sendReminder',
        data: { userId: String(user), channel },
        id: `${first}-${dueAt.getTime()}-reminder`,
      })),
    );
  }
}

/**
 * Sends what is due for one person and channel as one mail or push, from the current state: nothing about records that were
 * read meanwhile, or that the person no longer wants.
 */
export async function sendReminder(
  core: Core,
  mailer: Transporter,
  { userId, channel }: JobData<'sendReminder'>,
  { isLastAttempt }: Pick<JobContext, 'isLastAttempt'>,
): Promise<void> {
  const { models, clock } = core;
  const now = clock.now();
  const person = await models.User.findById(oid(userId)).lean<UserDoc>();
  const user = oid(userId);
  const due = await models.Reminder.find({ user, channel, kind: { $in: [...pushKinds] }, dueAt: { $lte: now } })
    .sort({ dueAt: 1, _id: 1 })
    .lean<DueReminder[]>();
  const [first] = due;
  if (!first) return;
  const end = (reminders: ReminderDoc[], sent: boolean) =>
    models.Reminder.updateMany(
      { _id: { $in: reminders.map(({ _id }) => _id) } },
      { $unset: { dueAt: 1 }, ...(sent ? { $set: { sentAt: now } } : {}) },
    );
  if (!isUsable(person)) return void (await end(due, false));
  const wanted = await wantedOf(core, due, noticeSettingsOf(person), now);
  const unneeded = due.filter((reminder) => !wanted.includes(reminder));
  if (unneeded.length > 0) await end(unneeded, false);
  if (wanted.length === 0) return;
  const put = (dueAt: Date) =>
    models.Reminder.updateMany({ _id: { $in: wanted.map(({ _id }) => _id) } }, { $set: { dueAt } });
  const later = await laterFor(core, wanted, noticeSettingsOf(person), now);
  if (later) return void (await put(later));
  try {
    if (channel === 'mail') await mailThem(core, mailer, user, wanted);
    else await pushThem(core, user, wanted);
  } catch (error) {
    // They would get a new job, with as many attempts at an address that refuses each.
    if (isLastAttempt && !isAway(error)) await end(wanted, false);
    throw error;
  }
  await end(wanted, true);
}

/** Ends the reminders whose job is given up: they would get a new one. */
export const giveUpReminders = ({ models, clock }: Core, { userId, channel }: JobData<'sendReminder'>) =>
  models.Reminder.updateMany({ user: oid(userId), channel, dueAt: { $lte: clock.now() } }, { $unset: { dueAt: 1 } });

/** The reminders whose record is still unread, and for which the person still wants this channel. */
async function wantedOf(core: Core, due: DueReminder[], settings: NoticeSettings, now: Date): Promise<DueReminder[]> {
  const about = (subject: ReminderDoc['about']) =>
    due.filter((one) => one.about === subject).map(({ record }) => record);
  const [notices, messages] = await Promise.all([
    core.models.Notification.distinct('_id', { _id: { $in: about('notification') }, unread: true }),
    core.models.Message.find({ _id: { $in: about('message') } }).lean<MessageDoc[]>(),
  ]);
  const waiting = new Set(notices.map(String));
  for (const message of messages) {
    // A mail is about a chat. For a device a later message has a reminder of its own, which is counted.
    const waits = due[0]?.channel === 'device' ? !message.readAt : await chatWaits(core, message, now);
    if (waits) waiting.add(String(message._id));
  }
  return due.filter(
    ({ about, kind, channel, record }) =>
      (about === 'event' || waiting.has(String(record))) && decide(kind, settings, now)[channel] !== false,
  );
}

/** True while the message, or a later one of its chat, is unread. */
const chatWaits = async ({ models }: Core, { conversation, recipient, seq }: MessageDoc, now: Date) =>
  (await models.Message.exists({ ...unread(conversation, recipient), seq: { $gte: seq }, createAt: { $lte: now } })) !==
  null;

/** The time until which these reminders have to wait; null when they may be sent now. */
async function laterFor(
  { models }: Core,
  [first]: DueReminder[],
  settings: NoticeSettings,
  now: Date,
): Promise<Date | null> {
  if (!first) return null;
  if (first.channel === 'device') {
    const { device } = decide(first.kind, settings, now);
    return device instanceof Date ? device : null;
  }
  const since = new Date(now.getTime() - PAUSE_MS);
  const { user, channel } = first;
  const last = await models.Reminder.findOne({ user, channel, sentAt: { $gt: since } })
    .sort({ sentAt: -1 })
    .lean<ReminderDoc>();
  return last?.sentAt ? new Date(last.sentAt.getTime() + PAUSE_MS) : null;
}

async function mailThem(core: Core, mailer: Transporter, to: ObjectId, reminders: DueReminder[]): Promise<void> {
  const [first] = reminders;
  const template = reminders.every(({ about }) => about === 'message') ? 'unreadMessages' : 'somethingNew';
  const path = template === 'unreadMessages' ? await pathOfChats(core, reminders) : '/login';
  const facts = { link: `${core.config.publicUrl}${path}` };
  await send(core, mailer, `${first?._id}-${template}`, template, { to, facts });
}

async function pathOfChats({ models }: Core, reminders: DueReminder[]): Promise<string> {
  const senders = await models.Message.distinct('sender', { _id: { $in: reminders.map(({ record }) => record) } });
  return senders.length === 1 ? `/messages?chat=${senders[0]}` : '/messages';
}

/** One is pushed as it would have been, several as their number. */
async function pushThem(core: Core, user: ObjectId, [first, ...others]: DueReminder[]): Promise<void> {
  if (!first) return;
  const subject =
    others.length === 0
      ? { about: first.about, recordId: String(first.record) }
      : { about: 'summary' as const, recordId: String(user), count: others.length + 1 };
  await queueDeliveries(core, user, `${first._id}`, subject);
}

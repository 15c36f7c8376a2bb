import { groupOf, type NoticeGroup, type NoticeSettings } from '@lightbox/contract/notifications/choices.js';
import { dateIn, nextAt } from '@lightbox/contract/notifications/clock.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { digestUpdate, noticeSettingsOf } from '@lightbox/core/notifications/noticeSettings.js';
import type { JobData } from '@lightbox/core/queues/jobs.js';
import { DAY_MS } from '@lightbox/core/times.js';
import type { Transporter } from 'nodemailer';
import { send } from '../mail/sendMail.js';

const BATCH = 500;

/** Enters a job for every digest that is due, and sets the time of the person's next one. */
export async function enterDigests(core: Core): Promise<boolean> {
  const { models, queues, clock } = core;
  const now = clock.now();
  const due = await models.User.find({ nextDigestAt: { $lte: now } }, { notices: 1, timeZone: 1, nextDigestAt: 1 })
    .sort({ nextDigestAt: 1 })
    .limit(BATCH)
    .lean<(UserDoc & { nextDigestAt: Date })[]>();
  const settingsOf = new Map(due.map((user) => [user, noticeSettingsOf(user)]));
  await queues.add(
    [...settingsOf].map(([{ _id, nextDigestAt }, { timeZone }]) => {
      const day = dateIn(nextDigestAt, timeZone);
      return { name: 'sendDigest', data: { userId: String(_id), day }, id: `${_id}-${day}-digest` };
    }),
  );
  for (const [{ _id, nextDigestAt, notices, timeZone }, settings] of settingsOf) {
    // When the person chose another time or zone meanwhile, it stays due: the next round enters the same job.
    const chosen = {
      'notices.digest': notices?.digest ?? null,
      'notices.digestAt': notices?.digestAt ?? null,
      timeZone: timeZone ?? null,
    };
    await models.User.updateOne({ _id, nextDigestAt, ...chosen }, digestUpdate(settings, now));
  }
  return due.length === BATCH;
}

/**
 * Mails how many notices and messages are unread; no mail when there are none. One a day at most, however often it runs. One
 * that waited until the next was due leaves it to that one, so that an absent mail server costs nobody several at once.
 */
export async function sendDigest(
  core: Core,
  mailer: Transporter,
  { userId, day }: JobData<'sendDigest'>,
): Promise<void> {
  const { models, config } = core;
  const to = oid(userId);
  const user = await models.User.findById(to).lean<UserDoc>();
  if (!isUsable(user)) return;
  const { digest: every, ...settings } = noticeSettingsOf(user);
  if (every === 'off' || nextAfter(day, every, settings) <= core.clock.now()) return;
  const counts = await unreadByGroup(core, to);
  if (Object.keys(counts).length === 0) return;
  const facts = { counts, link: `${config.publicUrl}/login` };
  await send(core, mailer, `${userId}-${day}-digest`, 'digest', { to, facts });
}

/** Returns the moment of the first digest after that of a day. */
function nextAfter(
  day: string,
  every: 'daily' | 'weekly',
  { digestAt, timeZone }: Pick<NoticeSettings, 'digestAt' | 'timeZone'>,
): Date {
  // In every time zone the day before.
  let at = new Date(Date.parse(day) - DAY_MS);
  do at = nextAt(digestAt, timeZone, every, at);
  while (dateIn(at, timeZone) <= day);
  return at;
}

/** The number of unread notices and messages by group, without groups that have none. */
async function unreadByGroup({ models }: Core, user: UserDoc['_id']): Promise<Partial<Record<NoticeGroup, number>>> {
  const [kinds, conversations] = await Promise.all([
    models.Notification.aggregate<{ _id: NotificationDoc['kind']; count: number }>([
      { $match: { user, unread: true } },
      { $group: { _id: '$kind', count: { $sum: 1 } } },
    ]),
    models.Conversation.find({ members: user }, { _id: 1 }).lean<ConversationDoc[]>(),
  ]);
  const messages = await models.Message.countDocuments({
    conversation: { $in: conversations.map(({ _id }) => _id) },
    recipient: user,
    readAt: null,
  });
  const counts: Partial<Record<NoticeGroup, number>> = messages > 0 ? { messages } : {};
  for (const { _id: kind, count } of kinds) {
    // A newer version may know more kinds.
    const group = groupOf[kind];
    if (group) counts[group] = (counts[group] ?? 0) + count;
  }
  return counts;
}

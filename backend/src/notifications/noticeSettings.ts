import type { notificationCalls } from '@lightbox/contract/notifications/calls.js';
import type { NoticeSettings } from '@lightbox/contract/notifications/choices.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { digestUpdate, noticeSettingsOf } from '@lightbox/core/notifications/noticeSettings.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway } from '../context.js';

export async function getNoticeSettings({
  gateway,
  viewer,
}: Context<typeof notificationCalls.getNoticeSettings>): Promise<Answer<NoticeSettings>> {
  const user = await gateway.models.User.findById(viewer._id, { notices: 1, timeZone: 1 })
    .readConcern(NEWEST)
    .lean<UserDoc>();
  return { data: noticeSettingsOf(user ?? {}) };
}

export async function setNoticeSettings({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof notificationCalls.setNoticeSettings>): Promise<Answer<NoticeSettings>> {
  const { timeZone, ...notices } = body;
  await gateway.events.change(actor, async (tx) => {
    const { User } = gateway.models;
    await User.updateOne({ _id: viewer._id }, { $set: { notices, timeZone } }, { session: tx.session });
    await renewDigest(gateway, { _id: viewer._id, notices, timeZone }, tx.session);
    tx.record({ type: 'notification.chosen', record: viewer._id, recipients: [viewer._id] });
    return viewer._id;
  });
  return { data: body };
}

/**
 * Sets the time of the next digest anew, after a change of the choices or the time zone. One that is due and has no job yet
 * stays due, as long as the person wants digests: its job names the day, so it is not mailed twice.
 */
export async function renewDigest(
  { models, clock }: Gateway,
  user: Pick<UserDoc, '_id' | 'notices' | 'timeZone'>,
  session: ClientSession,
): Promise<void> {
  const now = clock.now();
  const settings = noticeSettingsOf(user);
  const { digest: every } = settings;
  const notDue = every === 'off' ? {} : { nextDigestAt: { $not: { $lte: now } } };
  await models.User.updateOne({ _id: user._id, ...notDue }, digestUpdate(settings, now), { session });
}

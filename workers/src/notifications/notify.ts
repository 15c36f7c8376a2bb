import { actionOf, type NotificationKind } from '@lightbox/contract/audit/actions.js';
import { limits } from '@lightbox/contract/limits.js';
import { deliver } from '@lightbox/contract/notifications/policy.js';
import type { Core } from '@lightbox/core/core.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { majorityHasAll } from '@lightbox/core/db/majority.js';
import { consequencesOf } from '@lightbox/core/events/reactions.js';
import type { Signal } from '@lightbox/core/events/signals.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { noticeSettingsOf } from '@lightbox/core/notifications/noticeSettings.js';
import { planReminder } from '@lightbox/core/notifications/reminders.js';
import { queueDeliveries } from '@lightbox/core/push/deliveries.js';
import { NewerVersion } from '../failures.js';
import { settleNotices } from './settle.js';

/**
 * Delivers the notice of an event to each recipient, in the ways that they chose. The actor of the event gets none. Then
 * marks the notices as read that the event has settled.
 */
export async function notify(core: Core, eventId: string): Promise<void> {
  const event = await core.models.Event.findById(oid(eventId)).lean<EventDoc>();
  if (event && !actionOf(event.type))
    throw new NewerVersion('The notice is of an action that this version does not know.');
  const follows = event && consequencesOf(event.type);
  if (!follows) return;
  if (follows.notify) await deliverNotices(core, event, follows.notify);
  // Also after a new notice: its event may be handled later than the one that settled it.
  await settleNotices(core, event);
}

async function deliverNotices(core: Core, event: EventDoc, kind: NotificationKind): Promise<void> {
  const users = event.recipients.filter((id) => !(event.actor && id.equals(event.actor)));
  const people = await core.models.User.find({ _id: { $in: users } }, { notices: 1, timeZone: 1 }).lean<UserDoc[]>();
  const now = core.clock.now();
  const ways = users.map((user) => {
    const person = people.find(({ _id }) => _id.equals(user));
    return { user, ...deliver(kind, noticeSettingsOf(person ?? {}), now) };
  });
  const inApp = ways.filter(({ app }) => app).map(({ user }) => user);
  const notices = await writeNotices(core, event, kind, inApp);
  for (const { user, app, device, mail } of ways) {
    const notice = notices.find((one) => one.user.equals(user));
    // The account was closed meanwhile.
    if (app && !notice) continue;
    const subject = notice
      ? { about: 'notification' as const, record: notice._id }
      : { about: 'event' as const, record: event._id };
    // The job finds out if it is quiet.
    if (device) {
      const { about, record } = subject;
      await queueDeliveries(core, user, String(event._id), { about, recordId: String(record) });
    }
    if (mail) {
      const dueAt = new Date(now.getTime() + limits.noticeMailMinutes * 60_000);
      await planReminder(core, { user, channel: 'mail', kind, ...subject, dueAt });
    }
  }
}

/** Writes one notice for each of these people and broadcasts it. */
async function writeNotices(
  core: Core,
  event: EventDoc,
  kind: NotificationKind,
  users: ObjectId[],
): Promise<NotificationDoc[]> {
  const kept: NotificationDoc[] = [];
  for (const user of users) {
    const notification: NotificationDoc = {
      _id: newId(core.clock.now()),
      user,
      event: event._id,
      kind,
      ...recordOf(event),
      ...(event.actor ? { actor: event.actor } : {}),
      ...(event.refs.share ? { share: event.refs.share } : {}),
      at: event.at,
      unread: true,
    };
    kept.push(await keep(core, notification));
  }
  const notices = await withoutClosed(core, kept);
  await core.signals.send(
    notices.map(
      ({ _id, user }): Signal => ({
        push: { name: 'notification:new', to: [String(user)], refs: { record: String(_id) } },
      }),
    ),
  );
  return notices;
}

/** The record of a notice: the image or the account, and for a study the image that stands for it and the study. */
export const recordOf = ({ record, refs }: EventDoc): Pick<NotificationDoc, 'record' | 'study'> => ({
  ...(record ? { record: refs.lead ?? record } : {}),
  ...(record && refs.lead ? { study: record } : {}),
});

/** Removes the notices of closed accounts. It checks after writing: an account that closes later deletes its own notices. */
async function withoutClosed({ models }: Core, kept: NotificationDoc[]): Promise<NotificationDoc[]> {
  const users = kept.map(({ user }) => user);
  const closed = await models.User.distinct('_id', { _id: { $in: users }, deletedAt: { $exists: true } });
  if (closed.length === 0) return kept;
  await models.Notification.deleteMany({ event: { $in: kept.map(({ event }) => event) }, user: { $in: closed } });
  return kept.filter(({ user }) => !closed.some((id) => id.equals(user)));
}

/** Stores a notice. On a second delivery the unique index on event and user makes it return the first notice. */
async function keep(core: Core, notification: NotificationDoc): Promise<NotificationDoc> {
  try {
    await core.models.Notification.create([notification]);
    return notification;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    await majorityHasAll(core.db);
    const { event, user } = notification;
    return (await core.models.Notification.findOne({ event, user }).lean<NotificationDoc>()) ?? notification;
  }
}

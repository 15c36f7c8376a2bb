import type { Core } from '@lightbox/core/core.js';
import { isDuplicate, newId, oid } from '@lightbox/core/db/ids.js';
import { majorityHasAll } from '@lightbox/core/db/majority.js';
import type { Signal } from '@lightbox/core/events/push.js';
import { reactions } from '@lightbox/core/events/reactions.js';
import type { EventDoc, NotificationDoc } from '@lightbox/core/models/types.js';
import { queueDeliveries } from '@lightbox/core/push/deliveries.js';

/** Writes an event into its recipients' notification centres, once for each, and shows it. Who did it needs no telling. */
export async function notify(core: Core, eventId: string): Promise<void> {
  const event = await core.models.Event.findById(oid(eventId)).lean<EventDoc>();
  const kind = event && reactions[event.type]?.notify;
  if (!event || !kind) return;
  const users = event.recipients.filter((id) => !(event.actor && id.equals(event.actor)));
  const signals: Signal[] = [];
  const kept: NotificationDoc[] = [];
  for (const user of users) {
    const notification: NotificationDoc = {
      _id: newId(),
      user,
      event: event._id,
      kind,
      ...(event.record ? { record: event.record } : {}),
      at: event.at,
      unread: true,
    };
    const one = await keep(core, notification);
    kept.push(one);
    signals.push({
      push: { name: 'notification:new', to: [String(user)], refs: { record: String(one._id) } },
    });
  }
  await core.signals.send(signals);
  for (const { _id, user } of kept) {
    await queueDeliveries(core, user, eventId, { about: 'notification', recordId: String(_id) });
  }
}

/** The unique index on event and user makes a second delivery the first one's notification. */
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

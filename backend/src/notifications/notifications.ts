import type { Notification, notificationCalls, notificationSorts } from '@lightbox/contract/notifications/calls.js';
import { oid } from '@lightbox/core/db/ids.js';
import { type Orders, orderOf } from '@lightbox/core/db/page.js';
import { AppError } from '@lightbox/core/errors.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { Answer, Context } from '../context.js';
import { presentNotifications } from './present.js';

const orders: Orders<NotificationDoc, (typeof notificationSorts)[number]> = { at: ['at', '_id'] };

export async function listNotifications({
  gateway,
  viewer,
  query,
}: Context<typeof notificationCalls.listNotifications>): Promise<Answer<Notification[]>> {
  const { unread, sort, ...page } = query;
  const { rows, pagination } = await gateway.pages.list<NotificationDoc>(
    {
      model: gateway.models.Notification,
      filter: { user: viewer._id, ...(unread === undefined ? {} : { unread }) },
      ...orderOf(orders, sort),
    },
    page,
  );
  return { data: await presentNotifications(gateway, viewer, rows), pagination };
}

export async function readNotification({
  gateway,
  viewer,
  params,
}: Context<typeof notificationCalls.readNotification>): Promise<Answer<unknown>> {
  const mine = { _id: oid(params.id), user: viewer._id };
  if (!(await gateway.models.Notification.exists(mine))) throw new AppError('NOT_FOUND');
  await gateway.models.Notification.updateOne(
    { ...mine, unread: true },
    { $set: { unread: false, readAt: gateway.clock.now() } },
  );
  return { data: null };
}

export async function readAllNotifications({
  gateway,
  viewer,
}: Context<typeof notificationCalls.readAllNotifications>): Promise<Answer<unknown>> {
  await gateway.models.Notification.updateMany(
    { user: viewer._id, unread: true },
    { $set: { unread: false, readAt: gateway.clock.now() } },
  );
  return { data: null };
}

import { z } from 'zod';
import { notificationKinds } from '../audit/actions.js';
import { call } from '../call.js';
import { flag, PageQuery, sortBy } from '../envelope.js';
import { Id, Params, Time } from '../ids.js';
import { UserRef } from '../users/schemas.js';
import { NoticeSettings } from './choices.js';

export const Notification = z.object({
  id: Id,
  /** The client words it. */
  kind: z.enum(notificationKinds),
  /** The image or the account that the notification is about; for a study the image that stands for it. */
  recordId: Id.optional(),
  /** Present when the notification is about a study. */
  studyId: Id.optional(),
  at: Time,
  readAt: Time.optional(),
  /** The person who acted, or the account that the notification is about, while the viewer may know of the record. */
  actor: UserRef.optional(),
  /** The caption of the image or the title of the study, while the viewer may see it. */
  caption: z.string().optional(),
  /** The end of the viewer's own share, while it is live. */
  expiresAt: Time.optional(),
});
export type Notification = z.infer<typeof Notification>;

export const notificationSorts = ['at'] as const;

export const notificationCalls = {
  listNotifications: call({
    method: 'get',
    path: '/notifications',
    who: 'notification.use',
    action: 'notification.use',
    summary: 'The caller’s notifications, the newest first',
    query: PageQuery.extend({ unread: flag.optional(), sort: sortBy(notificationSorts, '-at') }),
    data: z.array(Notification),
    paged: true,
  }),
  readAllNotifications: call({
    method: 'post',
    path: '/notifications/read-all',
    who: 'notification.use',
    action: 'notification.use',
    summary: 'Mark all as read',
    body: z.strictObject({}),
  }),
  readNotification: call({
    method: 'post',
    path: '/notifications/:id/read',
    who: 'notification.use',
    action: 'notification.use',
    summary: 'Mark one as read',
    params: Params,
    body: z.strictObject({}),
  }),
  getNoticeSettings: call({
    method: 'get',
    path: '/users/profile/notifications',
    who: 'notification.use',
    action: 'notification.use',
    summary: 'How the caller wants to be notified',
    data: NoticeSettings,
  }),
  setNoticeSettings: call({
    method: 'put',
    path: '/users/profile/notifications',
    who: 'notification.use',
    action: 'notification.chosen',
    summary: 'Choose how to be notified: by group and channel, quiet hours, digest',
    body: NoticeSettings,
    data: NoticeSettings,
  }),
};

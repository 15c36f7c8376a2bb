import { z } from 'zod';
import { type NotificationKind, notificationKinds } from '../audit/actions.js';
import type { PushKind } from '../push/calls.js';
import { TimeZone } from '../timeZone.js';

/** The groups of notices that a person chooses by. */
export const noticeGroups = ['shares', 'images', 'messages', 'account', 'administration'] as const;
export type NoticeGroup = (typeof noticeGroups)[number];

export const noticeChannels = ['app', 'device', 'mail'] as const;
export type NoticeChannel = (typeof noticeChannels)[number];

/** The group of each kind of notice. */
export const groupOf: Record<PushKind, NoticeGroup> = {
  'share.created': 'shares',
  'share.verified': 'shares',
  'share.locked': 'shares',
  'share.revoked': 'shares',
  'guest.opened': 'shares',
  'request.received': 'images',
  'study.complete': 'images',
  'analysis.completed': 'images',
  'analysis.failed': 'images',
  'analysis.signed': 'images',
  'analysis.withdrawn': 'images',
  'consent.asked': 'images',
  'message.new': 'messages',
  'provider.registered': 'administration',
  'user.bulkRead': 'administration',
  'emergency.opened': 'account',
  'emergency.questioned': 'account',
  // The administrator who asked reads it.
  'emergency.answered': 'administration',
  'carer.named': 'account',
  'carer.accepted': 'account',
  'carer.ended': 'account',
  'auth.breakGlassUsed': 'account',
  // Those of the installation go to administrators.
  'webhook.stopped': 'account',
};

/** The kinds whose event sends a mail of its own. It always goes, and no second mail follows. */
export const mailedKinds: readonly PushKind[] = [
  'share.created',
  'emergency.opened',
  'emergency.questioned',
  'carer.named',
  'carer.accepted',
  'carer.ended',
];

/** True for a channel that cannot be turned off for this group. */
export const isAlwaysOn = (group: NoticeGroup, channel: NoticeChannel): boolean =>
  // Notices about the account protect it and its images.
  (group === 'account' && channel !== 'device') ||
  // Messages are in the chat and never in the notification centre.
  (group === 'messages' && channel === 'app');

const isOn = z.boolean();
/** A channel that is always on accepts no other value. */
const channelsOf = (group: NoticeGroup) => {
  const field = (channel: NoticeChannel) =>
    isAlwaysOn(group, channel) ? isOn.refine((on) => on, 'This cannot be turned off.') : isOn;
  return z.strictObject({ app: field('app'), device: field('device'), mail: field('mail') });
};

export const NoticeChoices = z.strictObject({
  shares: channelsOf('shares'),
  images: channelsOf('images'),
  messages: channelsOf('messages'),
  account: channelsOf('account'),
  administration: channelsOf('administration'),
} satisfies Record<NoticeGroup, z.ZodType>);
export type NoticeChoices = z.infer<typeof NoticeChoices>;

/** A time of day on a 24-hour clock. */
export const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time, HH:MM.');

/** Hours in which devices get no notification. They may contain midnight. */
export const QuietHours = z
  .strictObject({ from: ClockTime, to: ClockTime })
  .refine(({ from, to }) => from !== to, { path: ['to'], error: 'Must be another time than the beginning.' });
export type QuietHours = z.infer<typeof QuietHours>;

export const digests = ['off', 'daily', 'weekly'] as const;

/** How a person wants to be notified. The time zone is that of quiet hours, of the digest, and of times in mails. */
export const NoticeSettings = z.strictObject({
  choices: NoticeChoices,
  /** Absent without quiet hours. */
  quiet: QuietHours.optional(),
  digest: z.enum(digests),
  /** The time of day at which the digest is mailed: every day, or every Monday. */
  digestAt: ClockTime,
  timeZone: TimeZone,
});
export type NoticeSettings = z.infer<typeof NoticeSettings>;

/** The settings that an account stores itself. The time zone is a field of the account. */
export type StoredNoticeSettings = Omit<NoticeSettings, 'timeZone'>;

/** The settings of an account that has not chosen. Only messages have a notice by mail. */
export const defaultNoticeSettings: StoredNoticeSettings = {
  choices: {
    shares: { app: true, device: true, mail: false },
    images: { app: true, device: true, mail: false },
    messages: { app: true, device: true, mail: true },
    account: { app: true, device: true, mail: true },
    administration: { app: true, device: true, mail: false },
  },
  digest: 'off',
  digestAt: '08:00',
};

/** The kinds that are in the notification centre, by type. */
export const isNotificationKind = (kind: PushKind): kind is NotificationKind =>
  (notificationKinds as PushKind[]).includes(kind);

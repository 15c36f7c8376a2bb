import { defaultNoticeSettings, type NoticeSettings } from '@lightbox/contract/notifications/choices.js';
import { nextAt } from '@lightbox/contract/notifications/clock.js';
import { TimeZone } from '@lightbox/contract/timeZone.js';
import type { UserDoc } from '../models/user.js';

/** The time zone of this process (`TZ`), and of people whose browser has not sent theirs. */
export const serverTimeZone = TimeZone.catch('UTC').parse(Intl.DateTimeFormat().resolvedOptions().timeZone);

export const timeZoneOf = ({ timeZone }: Pick<UserDoc, 'timeZone'>): string => timeZone ?? serverTimeZone;

/** Returns how a person wants to be notified. Groups of a newer version have their defaults. */
export const noticeSettingsOf = (user: Pick<UserDoc, 'notices' | 'timeZone'>): NoticeSettings => ({
  ...defaultNoticeSettings,
  ...user.notices,
  choices: { ...defaultNoticeSettings.choices, ...user.notices?.choices },
  timeZone: timeZoneOf(user),
});

/** The update of an account by which its next digest is due at the right time, or none is. */
export const digestUpdate = ({ digest: every, digestAt, timeZone }: NoticeSettings, now: Date) =>
  every === 'off'
    ? { $unset: { nextDigestAt: 1 } as const }
    : { $set: { nextDigestAt: nextAt(digestAt, timeZone, every, now) } };

/** The choices of a closed account, which go with it. */
export const unsetChoices = { language: 1, timeZone: 1, notices: 1, nextDigestAt: 1 } as const;

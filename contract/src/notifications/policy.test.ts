import { describe, expect, it, vi } from 'vitest';
import { type PushKind, pushKinds } from '../push/calls.js';
import {
  defaultNoticeSettings,
  groupOf,
  isAlwaysOn,
  NoticeSettings,
  noticeChannels,
  noticeGroups,
  type NoticeSettings as Settings,
} from './choices.js';
import { dateIn, monthStart, nextAt, quietUntil } from './clock.js';
import { deliver } from './policy.js';

const settings: Settings = { ...defaultNoticeSettings, timeZone: 'Asia/Karachi' };
const night = { from: '22:00', to: '07:00' };
/** 23:30 in Karachi. */
const inTheNight = new Date('2026-11-22T18:30:00Z');
const inTheMorning = new Date('2026-11-23T02:00:00Z');

describe('the delivery of a notice', () => {
  it.each(pushKinds)('%s is delivered by default as before there were choices.', (kind) => {
    const isMessage = kind === 'message.new';
    // Newer than the choices: the product has stopped something that its owner relies on, or somebody went around the
    // provider of single sign-on.
    const isMailed = isMessage || kind === 'webhook.stopped' || kind === 'auth.breakGlassUsed';
    expect(deliver(kind, settings, inTheNight)).toEqual({ app: !isMessage, device: true, mail: isMailed });
  });

  const cells = pushKinds.flatMap((kind) => noticeChannels.map((channel) => ({ kind, channel })));
  it.each(cells)('$kind goes by $channel only while its group does.', ({ kind, channel }) => {
    const of = (on: boolean): Settings => {
      const group = { app: !on, device: !on, mail: !on, [channel]: on };
      return { ...settings, choices: { ...settings.choices, [groupOf[kind]]: group } };
    };
    // Messages are never in the notification centre. The others have a mail of their own.
    const never = [
      'message.new app',
      'share.created mail',
      'emergency.opened mail',
      'emergency.questioned mail',
      'carer.named mail',
      'carer.accepted mail',
      'carer.ended mail',
    ].includes(`${kind} ${channel}`);
    expect(deliver(kind, of(true), inTheNight)[channel]).toBe(!never);
    expect(deliver(kind, of(false), inTheNight)[channel]).toBe(false);
  });

  it.each(pushKinds)('%s is put off on devices in quiet hours, and on no other channel.', (kind) => {
    const quiet = { ...settings, quiet: night };
    const { device: _, ...loud } = deliver(kind, settings, inTheNight);
    expect(deliver(kind, quiet, inTheNight)).toEqual({ ...loud, device: inTheMorning });
    expect(deliver(kind, quiet, inTheMorning).device).toBe(true);
    const { shares, ...others } = settings.choices;
    const off = { ...quiet, choices: { ...others, shares: { ...shares, device: false } } };
    if (groupOf[kind] === 'shares') expect(deliver(kind, off, inTheNight).device).toBe(false);
  });
});

describe('quiet hours', () => {
  it.each([
    // Zone, window, now, end.
    ['Asia/Karachi', '22:00', '07:00', '2026-11-22T16:59Z', null],
    ['Asia/Karachi', '22:00', '07:00', '2026-11-22T17:00Z', '2026-11-23T02:00Z'],
    ['Asia/Karachi', '22:00', '07:00', '2026-11-22T20:00Z', '2026-11-23T02:00Z'],
    ['Asia/Karachi', '22:00', '07:00', '2026-11-23T01:59Z', '2026-11-23T02:00Z'],
    ['Asia/Karachi', '22:00', '07:00', '2026-11-23T02:00Z', null],
    ['Asia/Karachi', '13:00', '14:30', '2026-11-22T09:29Z', '2026-11-22T09:30Z'],
    ['Asia/Karachi', '13:00', '14:30', '2026-11-22T09:30Z', null],
    ['UTC', '22:00', '00:00', '2026-12-31T23:59Z', '2027-01-01T00:00Z'],
    // Clocks go forward at 01:00Z on 29 March 2026 and back at 01:00Z on 25 October.
    ['Europe/Berlin', '22:00', '07:00', '2026-03-28T22:00Z', '2026-03-29T05:00Z'],
    ['Europe/Berlin', '22:00', '07:00', '2026-03-29T03:00Z', '2026-03-29T05:00Z'],
    ['Europe/Berlin', '22:00', '07:00', '2026-10-24T21:00Z', '2026-10-25T06:00Z'],
    ['Europe/Berlin', '22:00', '07:00', '2026-10-25T05:30Z', '2026-10-25T06:00Z'],
    // 02:30 does not exist on this day: clocks show 03:30 at that moment.
    ['Europe/Berlin', '22:00', '02:30', '2026-03-29T00:59Z', '2026-03-29T01:30Z'],
    // On 6 September 2026 clocks go from 24:00 to 01:00: 00:30 does not exist, and clocks show 01:30 at that moment.
    ['America/Santiago', '22:00', '00:30', '2026-09-06T03:40Z', '2026-09-06T04:30Z'],
    ['America/Santiago', '22:00', '00:00', '2026-09-06T03:40Z', '2026-09-06T04:00Z'],
    // Clocks go back at 06:00Z on 1 November 2026, and show 01:30 twice.
    ['America/New_York', '22:00', '01:30', '2026-11-01T05:00Z', '2026-11-01T06:30Z'],
    ['America/New_York', '22:00', '01:30', '2026-11-01T06:10Z', '2026-11-01T06:30Z'],
    ['America/St_Johns', '23:15', '06:45', '2026-07-01T03:00Z', '2026-07-01T09:15Z'],
    ['Pacific/Kiritimati', '22:00', '07:00', '2026-11-22T10:00Z', '2026-11-22T17:00Z'],
  ])('in %s from %s to %s, at %s, end at %s.', (zone, from, to, now, end) => {
    expect(quietUntil({ from, to }, zone, new Date(now))).toEqual(end && new Date(end));
  });
});

describe('the next digest', () => {
  it.each([
    ['daily', 'Asia/Karachi', '08:00', '2026-11-22T02:59Z', '2026-11-22T03:00Z'],
    ['daily', 'Asia/Karachi', '08:00', '2026-11-22T03:00Z', '2026-11-23T03:00Z'],
    ['daily', 'America/New_York', '20:30', '2026-11-23T01:00Z', '2026-11-23T01:30Z'],
    // Across the changes of clocks the hour on the clock stays.
    ['daily', 'Europe/Berlin', '08:00', '2026-03-28T07:00Z', '2026-03-29T06:00Z'],
    ['daily', 'Europe/Berlin', '08:00', '2026-10-24T06:00Z', '2026-10-25T07:00Z'],
    // The day begins with 01:00.
    ['daily', 'America/Santiago', '00:15', '2026-09-06T03:20Z', '2026-09-06T04:15Z'],
    ['daily', 'America/Santiago', '00:15', '2026-09-06T04:15Z', '2026-09-07T03:15Z'],
    ['daily', 'Atlantic/Azores', '00:59', '2026-03-29T00:30Z', '2026-03-29T01:59Z'],
    // Clocks show 01:30 twice, and the digest comes once.
    ['daily', 'America/New_York', '01:30', '2026-11-01T05:00Z', '2026-11-01T06:30Z'],
    ['daily', 'America/New_York', '01:30', '2026-11-01T06:30Z', '2026-11-02T06:30Z'],
    // 22 November 2026 is a Sunday.
    ['weekly', 'Asia/Karachi', '08:00', '2026-11-22T03:00Z', '2026-11-23T03:00Z'],
    ['weekly', 'Asia/Karachi', '08:00', '2026-11-23T03:00Z', '2026-11-30T03:00Z'],
    ['weekly', 'Pacific/Kiritimati', '00:00', '2026-11-22T09:00Z', '2026-11-22T10:00Z'],
    ['weekly', 'Europe/Berlin', '08:00', '2026-03-24T12:00Z', '2026-03-30T06:00Z'],
  ] as const)('%s in %s at %s, after %s, is at %s.', (every, zone, clock, now, next) => {
    expect(nextAt(clock, zone, every, new Date(now))).toEqual(new Date(next));
  });

  it('The day of a digest is that of its time zone.', () => {
    expect(dateIn(new Date('2026-11-22T19:30:00Z'), 'Asia/Karachi')).toBe('2026-11-23');
    expect(dateIn(new Date('2026-11-22T19:30:00Z'), 'America/New_York')).toBe('2026-11-22');
  });
});

it.each([
  ['Asia/Karachi', '2026-11-22T12:00Z', '2026-10-31T19:00Z'],
  // On 1 November 2026 clocks show the hour after midnight twice.
  ['America/Havana', '2026-11-01T04:30Z', '2026-11-01T04:00Z'],
  // On 1 October 2017 clocks went from 24:00 to 01:00.
  ['America/Asuncion', '2017-10-20T12:00Z', '2017-10-01T04:00Z'],
])('The month in %s that contains %s begins at %s.', (zone, moment, start) => {
  expect(monthStart(new Date(moment), zone)).toEqual(new Date(start));
});

it('A time zone in other capital letters is the same, and takes no format of its own.', () => {
  const made = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  const name = 'america/argentina/buenos_aires';
  const spelt = (n: number) => [...name].map((letter, i) => ((n >> i) & 1 ? letter.toUpperCase() : letter)).join('');
  const days = Array.from({ length: 50 }, (_, n) => dateIn(new Date('2026-11-22T02:30:00Z'), spelt(n)));
  expect(new Set(days)).toEqual(new Set(['2026-11-21']));
  expect(new Set(made.mock.contexts).size).toBe(1);
  made.mockRestore();
});

describe('the choices', () => {
  const withAccount = (mail: boolean): unknown => ({
    ...settings,
    choices: { ...settings.choices, account: { app: true, device: true, mail } },
  });

  it('Mails about the account cannot be turned off.', () => {
    expect(NoticeSettings.safeParse(withAccount(true)).success).toBe(true);
    const [issue] = NoticeSettings.safeParse(withAccount(false)).error?.issues ?? [];
    expect(issue?.path).toEqual(['choices', 'account', 'mail']);
  });

  it.each([
    ['an unknown time zone', { timeZone: 'Asia/Nowhere' }],
    ['an offset as time zone', { timeZone: '+05:00' }],
    ['no such time', { quiet: { from: '24:00', to: '07:00' } }],
    ['a window without length', { quiet: { from: '07:00', to: '07:00' } }],
    ['another digest', { digest: 'hourly' }],
    ['a group too few', { choices: { shares: settings.choices.shares } }],
  ])('Choices with %s are refused.', (_, change) => {
    expect(NoticeSettings.safeParse({ ...settings, quiet: night }).success).toBe(true);
    expect(NoticeSettings.safeParse({ ...settings, ...change }).success).toBe(false);
  });

  it('Notices about the account are always in the app and mailed; the chat always shows messages.', () => {
    const always = noticeGroups.flatMap((group) =>
      noticeChannels.filter((channel) => isAlwaysOn(group, channel)).map((channel) => `${group} ${channel}`),
    );
    expect(always).toEqual(['messages app', 'account app', 'account mail']);
    for (const kind of pushKinds satisfies readonly PushKind[]) expect(noticeGroups).toContain(groupOf[kind]);
  });
});

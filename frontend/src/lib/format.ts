import { probabilityText } from '@lightbox/contract/analysis/probability.js';
import { currentLanguage, i18n } from '../i18n';
import { DAY_MS } from './times';

/** All dates, times and numbers on screen are formatted here, through `Intl` and in the person's language. */
const locale = () => currentLanguage().locale;
/**
 * Isolates text that is always Latin (numbers, sizes, IP addresses), so that it runs from left to right in every
 * language.
 */
export const ltr = (text: string) => (currentLanguage().dir === 'rtl' ? `\u2066${text}\u2069` : text);
const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

function dates(options: Intl.DateTimeFormatOptions, tag = locale()): Intl.DateTimeFormat {
  // A formatter keeps the time zone in which it was made, and people travel with an open page.
  const key = `d${tag}${new Date().getTimezoneOffset()}${JSON.stringify(options)}`;
  const known = made.get(key) ?? new Intl.DateTimeFormat(tag, options);
  made.set(key, known);
  return known as Intl.DateTimeFormat;
}

function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `n${locale()}${JSON.stringify(options)}`;
  const known = made.get(key) ?? new Intl.NumberFormat(locale(), options);
  made.set(key, known);
  return known as Intl.NumberFormat;
}

export type When = string | number | Date;

export const formatDate = (at: When) => dates({ day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(at));
export const formatLongDay = (at: When) =>
  dates({ weekday: 'long', day: 'numeric', month: 'long' }).format(new Date(at));
export const formatMonth = (at: When) => dates({ month: 'long', year: 'numeric' }).format(new Date(at));
export const formatYear = (at: When) => dates({ year: 'numeric' }).format(new Date(at));
export const formatTime = (at: When) =>
  dates({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(at));
export const formatDateTime = (at: When) =>
  dates({
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(at));
/** Date and time with seconds, to compare records of the audit log with other logs. */
export const formatMoment = (at: When) =>
  `${formatDate(at)}, ${formatTime(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`;
export const formatNumber = (value: number) => numbers({}).format(value);
export const formatMeasure = (value: number, maximumFractionDigits: number) =>
  ltr(numbers({ maximumFractionDigits }).format(value));
export const formatPercent = (share: number) =>
  ltr(numbers({ style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share));
/** Formats a probability of an analysis as its provider gave it. `formatPercent` would round it. */
export const formatProbability = (probability: number) => ltr(probabilityText(probability, locale()));

/** Formats a date of birth in the order that is usual in Pakistan. It is a calendar date: no time zone shifts it. */
export const formatBirthday = (date: string) =>
  dates(
    { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
    locale() === 'en-GB' ? 'en-PK' : locale(),
  ).format(new Date(`${date}T00:00:00Z`));

/** Formats a date as on a real film: 14 NOV 2026. */
export const formatFilmDate = (at: When) =>
  dates({ day: '2-digit', month: 'short', year: 'numeric' }, 'en-GB').format(new Date(at)).toUpperCase();

export function formatBytes(bytes: number): string {
  const unit = bytes < 1024 ** 2 ? 'KB' : bytes < 1024 ** 3 ? 'MB' : 'GB';
  const value = bytes / 1024 ** ({ KB: 1, MB: 2, GB: 3 } as const)[unit];
  return ltr(`${numbers({ maximumFractionDigits: unit === 'KB' ? 0 : 1 }).format(value)} ${unit}`);
}

const dayOf = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
export const daysAgo = (at: When, now = new Date()) => Math.round((dayOf(now) - dayOf(new Date(at))) / DAY_MS);

/** Returns the time for today, 'Yesterday' for yesterday, otherwise the date. */
export function formatWhen(at: When): string {
  const days = daysAgo(at);
  if (days === 0) return formatTime(at);
  return days === 1 ? i18n.t('common.yesterday') : formatDate(at);
}

/** Returns 'Today', 'Yesterday', or else the day, with its year when that is another one. */
export function formatDay(at: When): string {
  const days = daysAgo(at);
  if (days === 0) return i18n.t('common.today');
  if (days === 1) return i18n.t('common.yesterday');
  return new Date(at).getFullYear() === new Date().getFullYear() ? formatLongDay(at) : formatDate(at);
}

/** Formats a duration: 12 min, 18 h 20 min; full hours and days in words: 1 hour; 2 days, 4 hours. */
export function formatSpan(ms: number): string {
  const minutes = Math.max(0, Math.ceil(ms / 60_000));
  const [d, h, m] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  const days = i18n.t('time.days', { count: d });
  if (d) return h ? i18n.t('time.daysHours', { days, hours: i18n.t('time.hours', { count: h }) }) : days;
  if (h && m) return i18n.t('time.hoursMinutes', { h, m: String(m).padStart(2, '0') });
  if (h) return i18n.t('time.hours', { count: h });
  return i18n.t('time.minutes', { m });
}

/** Formats seconds for a countdown: 0:42. */
export const formatSeconds = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

export interface Named {
  firstname?: string | undefined;
  lastname?: string | undefined;
  username?: string | undefined;
}
/** A person who may have a photo. */
export interface Shown extends Named {
  id?: string;
  photo?: string | undefined;
}
export const fullName = (person: Named) =>
  [person.firstname, person.lastname].filter(Boolean).join(' ') || person.username || i18n.t('common.someone');
/** Capitalizes each word, as the specification wants in the heading of a profile. */
export const capitalized = (name: string) =>
  name.replace(/(^|[\s-])(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toLocaleUpperCase());

export const initials = (person: Named) =>
  [person.firstname, person.lastname]
    .map((name) => [...(name ?? '')][0] ?? '')
    .join('')
    .toLocaleUpperCase() || (person.username ?? '').slice(0, 2).toLocaleUpperCase();

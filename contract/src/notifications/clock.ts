/** Times of day in a time zone, also where clocks change. */

interface Local {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns date and time on the clocks of a time zone. */
function localOf(moment: Date, timeZone: string): Local {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  return { year, month, day, hour, minute };
}

const asUtc = ({ year, month, day, hour, minute }: Local): number => Date.UTC(year, month - 1, day, hour, minute);

/** Minutes since midnight. */
const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

/** The date in a time zone, YYYY-MM-DD. */
export const dateIn = (moment: Date, timeZone: string): string =>
  new Date(asUtc(localOf(moment, timeZone))).toISOString().slice(0, 10);

/**
 * Returns the moment at which clocks in a time zone show this time, `days` after the date of `moment` there. A time that
 * clocks skip is the moment of the skip's end or up to an hour later; of a time that they show twice it is one of the two.
 */
function momentOf(moment: Date, timeZone: string, days: number, clock: string): Date {
  const today = localOf(moment, timeZone);
  const wanted = asUtc({ ...today, hour: 0, minute: 0 }) + days * dayMs + minutesOf(clock) * minuteMs;
  const offsetAt = (at: number) => asUtc(localOf(new Date(at), timeZone)) - at;
  // The offset of the first guess may be that of the other side of a change.
  const guess = wanted - offsetAt(wanted);
  return new Date(wanted - offsetAt(guess));
}

/** Returns the moment at which the month of `moment` begins in a time zone. */
export const monthStart = (moment: Date, timeZone: string): Date =>
  momentOf(moment, timeZone, 1 - localOf(moment, timeZone).day, '00:00');

/** Returns the end of the quiet hours that contain `now`; null outside of them. The last minute is before `to`. */
export function quietUntil({ from, to }: { from: string; to: string }, timeZone: string, now: Date): Date | null {
  const { hour, minute } = localOf(now, timeZone);
  const [begin, end, at] = [minutesOf(from), minutesOf(to), hour * 60 + minute];
  if (begin < end ? at < begin || at >= end : at < begin && at >= end) return null;
  return momentOf(now, timeZone, begin > end && at >= begin ? 1 : 0, to);
}

/** Returns the first moment after `now` at which clocks show this time: on any day, or on a Monday. */
export function nextAt(clock: string, timeZone: string, every: 'daily' | 'weekly', now: Date): Date {
  const weekday = new Date(asUtc(localOf(now, timeZone))).getUTCDay();
  // Monday is 1.
  const first = every === 'daily' ? 0 : (8 - weekday) % 7;
  const step = every === 'daily' ? 1 : 7;
  const next = momentOf(now, timeZone, first, clock);
  return next > now ? next : momentOf(now, timeZone, first + step, clock);
}

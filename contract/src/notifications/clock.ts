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

/** By the names of Intl: an account may spell its time zone with any capital letters. */
const formats = new Map<string, Intl.DateTimeFormat>();
/** By the spelling of the account, and emptied when it is full. */
const formatsAsSpelt = new Map<string, Intl.DateTimeFormat>();
/** There are fewer time zones. */
const SPELLINGS = 1_000;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatsAsSpelt.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const name = made.resolvedOptions().timeZone;
  const format = formats.get(name) ?? made;
  formats.set(name, format);
  if (formatsAsSpelt.size >= SPELLINGS) formatsAsSpelt.clear();
  formatsAsSpelt.set(timeZone, format);
  return format;
}

/** Returns date and time on the clocks of a time zone. */
function localOf(moment: Date, timeZone: string): Local {
  const format = formatOf(timeZone);
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
 * clocks skip is the moment of the skip's end or up to an hour later; a time that they show twice is the moment `ofTwo`.
 */
function momentOf(moment: Date, timeZone: string, days: number, clock: string, ofTwo: 'first' | 'last'): Date {
  const today = localOf(moment, timeZone);
  const wanted = asUtc({ ...today, hour: 0, minute: 0 }) + days * dayMs + minutesOf(clock) * minuteMs;
  const localAt = (at: number) => asUtc(localOf(new Date(at), timeZone));
  // No offset is as long as a day, so these are the offsets before and after a change of clocks on that day.
  const guesses = [wanted - dayMs, wanted + dayMs].map((at) => wanted - (localAt(at) - at));
  const shown = guesses.filter((at) => localAt(at) === wanted);
  // With the offset before a skip, the time comes after it.
  if (shown.length === 0) return new Date(Math.max(...guesses));
  return new Date(ofTwo === 'first' ? Math.min(...shown) : Math.max(...shown));
}

/** Returns the moment at which the month of `moment` begins in a time zone. */
export const monthStart = (moment: Date, timeZone: string): Date =>
  momentOf(moment, timeZone, 1 - localOf(moment, timeZone).day, '00:00', 'first');

/**
 * Returns the end of the quiet hours that contain `now`, which is after `now`; null outside of them. The last minute is
 * before `to`.
 */
export function quietUntil({ from, to }: { from: string; to: string }, timeZone: string, now: Date): Date | null {
  const { hour, minute } = localOf(now, timeZone);
  const [begin, end, at] = [minutesOf(from), minutesOf(to), hour * 60 + minute];
  if (begin < end ? at < begin || at >= end : at < begin && at >= end) return null;
  return momentOf(now, timeZone, begin > end && at >= begin ? 1 : 0, to, 'last');
}

/**
 * Returns the next moment after `now` at which clocks show this time: on any day, or on a Monday. On a day on which they
 * show it twice, only the last counts.
 */
export function nextAt(clock: string, timeZone: string, every: 'daily' | 'weekly', now: Date): Date {
  const weekday = new Date(asUtc(localOf(now, timeZone))).getUTCDay();
  // Monday is 1.
  const first = every === 'daily' ? 0 : (8 - weekday) % 7;
  const step = every === 'daily' ? 1 : 7;
  const next = momentOf(now, timeZone, first, clock, 'last');
  return next > now ? next : momentOf(now, timeZone, first + step, clock, 'last');
}

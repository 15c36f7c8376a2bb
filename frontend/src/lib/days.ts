/** Returns the start of a calendar day in the viewer's time zone, moved by `later` days. */
function dayStart(day: string, later = 0): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return year === undefined || Number.isNaN(start.getTime()) ? undefined : start;
}

/**
 * Returns whole calendar days as times of the viewer's time zone, in which screens show times: the start of the first and
 * the end of the last day. The server takes a day without a time for one of UTC.
 */
export function timesOf(first: string, last: string): { from?: string; to?: string } {
  const from = dayStart(first);
  const after = dayStart(last, 1);
  return {
    ...(from && { from: from.toISOString() }),
    ...(after && { to: new Date(after.getTime() - 1).toISOString() }),
  };
}

/** Spans until now, and `days` for a range that the user chooses. */
export const spans = ['today', 'week', 'month', 'days'] as const;
export type Span = (typeof spans)[number];

const daysBack: Record<Exclude<Span, 'days'>, number> = { today: 0, week: 6, month: 29 };

export const spanIn = (params: URLSearchParams): Span | undefined => spans.find((name) => name === params.get('since'));

/** Returns the start of a calendar day in the viewer's time zone, moved by `later` days. */
function dayStart(day: string, later = 0): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return year === undefined || Number.isNaN(start.getTime()) ? undefined : start;
}

/** Returns the range in the address as times: whole days in the viewer's time zone, swapped if in the wrong order. */
export function rangeOf(params: URLSearchParams, now = new Date()): { from?: string; to?: string } {
  const span = spanIn(params);
  if (!span) return {};
  if (span !== 'days') {
    return { from: new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack[span]).toISOString() };
  }
  const [one, other] = [params.get('from') ?? '', params.get('to') ?? ''];
  const turned = one !== '' && other !== '' && one > other;
  const from = dayStart(turned ? other : one);
  const after = dayStart(turned ? one : other, 1);
  return {
    ...(from && { from: from.toISOString() }),
    ...(after && { to: new Date(after.getTime() - 1).toISOString() }),
  };
}

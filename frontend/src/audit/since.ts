/** Spans up to now, and days that people choose themselves. */
export const spans = ['today', 'week', 'month', 'days'] as const;
export type Span = (typeof spans)[number];

const daysBack: Record<Exclude<Span, 'days'>, number> = { today: 0, week: 6, month: 29 };

export const spanIn = (params: URLSearchParams): Span | undefined => spans.find((name) => name === params.get('since'));

/** The first moment of a calendar day in the viewer's zone, or of one some days later. */
function dayStart(day: string, later = 0): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return year === undefined || Number.isNaN(start.getTime()) ? undefined : start;
}

/** What an address asks for, as moments: whole days in the viewer's zone, and days the wrong way round are turned. */
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

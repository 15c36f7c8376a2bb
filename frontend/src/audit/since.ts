import { timesOf } from '../lib/days';

/** Spans until now, and `days` for a range that the user chooses. */
export const spans = ['today', 'week', 'month', 'days'] as const;
export type Span = (typeof spans)[number];

const daysBack: Record<Exclude<Span, 'days'>, number> = { today: 0, week: 6, month: 29 };

export const spanIn = (params: URLSearchParams): Span | undefined => spans.find((name) => name === params.get('since'));

/** Returns the range in the address as times: whole days in the viewer's time zone, swapped if in the wrong order. */
export function rangeOf(params: URLSearchParams, now = new Date()): { from?: string; to?: string } {
  const span = spanIn(params);
  if (!span) return {};
  if (span !== 'days') {
    return { from: new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack[span]).toISOString() };
  }
  const [one, other] = [params.get('from') ?? '', params.get('to') ?? ''];
  const turned = one !== '' && other !== '' && one > other;
  return turned ? timesOf(other, one) : timesOf(one, other);
}

export const spans = ['today', 'week', 'month'] as const;
export type Span = (typeof spans)[number];

const days: Record<Span, number> = { today: 0, week: 6, month: 29 };

/** The first moment of the span's first day, in the viewer's zone. */
export function sinceOf(span: string | null, now = new Date()): string | undefined {
  const known = spans.find((name) => name === span);
  if (!known) return undefined;
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days[known]).toISOString();
}

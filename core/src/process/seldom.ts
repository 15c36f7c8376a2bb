/** Far more keys than ever occur within one time. Above it some are allowed again. */
const REMEMBERED = 10_000;

/** Returns a function that is true at most once within `ms` for each key. */
export function seldom(ms: number): (key: string) => boolean {
  const last = new Map<string, number>();
  return (key) => {
    const now = performance.now();
    if (now - (last.get(key) ?? Number.NEGATIVE_INFINITY) < ms) return false;
    if (last.size >= REMEMBERED) last.clear();
    last.set(key, now);
    return true;
  };
}

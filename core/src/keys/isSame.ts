import { timingSafeEqual } from 'node:crypto';

/**
 * Compares a secret, or a proof made with one, in constant time: the duration does not reveal how much of a guess is
 * right. The length is not hidden. False for a missing secret, and for a value that is not text.
 */
export function isSame(expected: string | null | undefined, given: unknown): boolean {
  if (typeof expected !== 'string' || typeof given !== 'string') return false;
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}

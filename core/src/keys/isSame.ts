import { timingSafeEqual } from 'node:crypto';

/**
 * Compares a secret, or a proof made with one, in constant time: the time it takes does not tell how much of a guess is
 * right. The length is not hidden. False for a secret that is missing, and for a value that is not a text.
 */
export function isSame(expected: string | null | undefined, given: unknown): boolean {
  if (typeof expected !== 'string' || typeof given !== 'string') return false;
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}

import { randomBytes } from 'node:crypto';

const entry = /^[\w-]{1,32}:([A-Za-z0-9+/_-]{43}=?)$/;

/** A fresh key ring with one key, `id:base64(32 bytes)`. */
export const makeKeys = (): string => `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;

/** What is wrong with the text of a key ring, or null. Never repeats any of it. */
export function faultOfKeys(ring: string): string | null {
  const entries = ring.split(',').map((part) => part.trim());
  const keys = entries.map((part) => entry.exec(part)?.[1]);
  if (keys.some((key) => key === undefined || Buffer.from(key, 'base64').length !== 32)) {
    return 'must be id:key[,id:key…], each key 32 random bytes in base64 (`echo k1:$(openssl rand -base64 32)` makes one)';
  }
  const ids = entries.map((part) => part.slice(0, part.indexOf(':')));
  if (new Set(ids).size < ids.length) return 'holds the same id twice';
  return keys.some((key) => isWeak(Buffer.from(key ?? '', 'base64'))) ? 'holds a key that is not random' : null;
}

/** Patterns and typed text; thirty-two random bytes look like this less than once in 10^13. */
function isWeak(key: Buffer): boolean {
  const distinct = new Set(key).size;
  const printable = key.every((byte) => byte >= 0x20 && byte < 0x7f);
  const steps = new Set(key.subarray(1).map((byte, i) => byte - (key[i] ?? 0))).size;
  return distinct < 16 || printable || steps < 8;
}

import { createECDH, hkdfSync, randomBytes } from 'node:crypto';

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

/** The public half of a VAPID key, as browsers are given it: an uncompressed point of P-256 in base64url. */
export function vapidPublicKey(privateKey: string): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.from(privateKey, 'base64'));
  return pair.getPublicKey('base64url');
}

/** The VAPID key of an instance that names none: made of its own keys, so that it is the same at every start. */
export const deriveVapidKey = (ring: string): string => ofFirstKey(ring, 'vapid').toString('base64');

/** Opens the inbox of an instance's own mail catcher; the same at every start, like the key above. */
export const deriveInboxToken = (ring: string): string => ofFirstKey(ring, 'inbox').toString('base64url');

const ofFirstKey = (ring: string, purpose: string): Buffer => {
  const first = Buffer.from(ring.split(',')[0]?.split(':')[1] ?? '', 'base64');
  return Buffer.from(hkdfSync('sha256', first, Buffer.alloc(0), `lightbox/${purpose}`, 32));
};

/** What is wrong with the text of a private VAPID key, or null. Never repeats any of it. */
export function faultOfVapidKey(value: string): string | null {
  const key = Buffer.from(value, 'base64');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(value) || key.length !== 32) {
    return 'must be 32 random bytes in base64 (`openssl rand -base64 32` makes them)';
  }
  if (isWeak(key)) return 'holds a key that is not random';
  try {
    vapidPublicKey(value);
    return null;
  } catch {
    return 'is no key of P-256; make another one';
  }
}

import { createECDH, hkdfSync, randomBytes } from 'node:crypto';

const entry = /^[\w-]{1,32}:([A-Za-z0-9+/_-]{43}=?)$/;

/** Makes a new key ring with one key, `id:base64(32 bytes)`. */
export const makeKeys = (): string => `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;

/** Returns the fault of a key ring's text, or null. The fault never repeats any of the text. */
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

/** True for patterns and typed text. Thirty-two random bytes look like this less than once in 10^13. */
function isWeak(key: Buffer): boolean {
  const distinct = new Set(key).size;
  const printable = key.every((byte) => byte >= 0x20 && byte < 0x7f);
  const steps = new Set(key.subarray(1).map((byte, i) => byte - (key[i] ?? 0))).size;
  return distinct < 16 || printable || steps < 8;
}

/** Returns the public half of a VAPID key in the form for browsers: an uncompressed point on P-256 in base64url. */
export function vapidPublicKey(privateKey: string): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.from(privateKey, 'base64'));
  return pair.getPublicKey('base64url');
}

/** Derives the VAPID key of an instance that names none from its own keys, so that it is the same at every start. */
export const deriveVapidKey = (ring: string): string => ofFirstKey(ring, 'vapid').toString('base64');

/** Derives the token that opens the inbox of an instance's own mail catcher; it is the same at every start. */
export const deriveInboxToken = (ring: string): string => ofFirstKey(ring, 'inbox').toString('base64url');

const ofFirstKey = (ring: string, purpose: string): Buffer => {
  const first = Buffer.from(ring.split(',')[0]?.split(':')[1] ?? '', 'base64');
  return Buffer.from(hkdfSync('sha256', first, Buffer.alloc(0), `lightbox/${purpose}`, 32));
};

/** Returns the fault of a private VAPID key's text, or null. The fault never repeats any of the text. */
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
    return 'is not a key on P-256; make another one';
  }
}

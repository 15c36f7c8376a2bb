import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { bufferOf } from '../db/bytes.js';
import { IntegrityError } from '../errors.js';
import type { SealedValue } from '../models/sealedValue.js';
import type { KeyRing } from './keyring.js';

const NONCE = 12;
const TAG = 16;

/** Seals with AES-256-GCM and a random nonce in front: `nonce | ciphertext | tag`. Opening needs the same `context`. */
export function seal(key: Buffer, context: string, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Opens a sealed value. Throws `IntegrityError` when a bit was changed or the context differs. */
export function open(key: Buffer, context: string, sealed: Buffer): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(-TAG));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()]);
  } catch {
    throw new IntegrityError(`The sealed value of ${context} was changed.`);
  }
}

/** Seals with the ring's current key, and adds the id of that key. */
export const sealValue = (ring: KeyRing, context: string, plain: Buffer): SealedValue => ({
  keyId: ring.current.id,
  sealed: seal(ring.current.key, context, plain),
});

export function openValue(ring: KeyRing, context: string, { keyId, sealed }: SealedValue): Buffer {
  const key = ring.find(keyId);
  if (!key) throw new IntegrityError(`The key ${keyId} that sealed ${context} is not in the ring.`);
  return open(key.key, context, bufferOf(sealed));
}

/** Seals a text that only this product can read or make, small enough for a query: `keyId.sealed`. */
export const sealText = (ring: KeyRing, context: string, text: string): string =>
  `${ring.current.id}.${seal(ring.current.key, context, Buffer.from(text)).toString('base64url')}`;

export function openText(ring: KeyRing, context: string, sealed: string): string | null {
  const dot = sealed.indexOf('.');
  const key = ring.find(sealed.slice(0, dot));
  if (!key) return null;
  try {
    return open(key.key, context, Buffer.from(sealed.slice(dot + 1), 'base64url')).toString();
  } catch {
    return null;
  }
}

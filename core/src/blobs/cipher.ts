import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { IntegrityError } from '../errors.js';
import type { KeyRing } from '../keys/keyring.js';
import { openValue, sealValue } from '../keys/seal.js';
import type { SealedValue } from '../models/sealedValue.js';

/** Bytes of plain text that are sealed, stored and opened together. */
export const CHUNK = 1024 * 1024;
export const TAG = 16;

/**
 * Makes a new key for one image, and the same key wrapped for its record. Rotating keys rewrites records, not blobs.
 */
export function newDataKey(ring: KeyRing, imageId: string): { key: Buffer; wrapped: SealedValue } {
  const key = randomBytes(32);
  return { key, wrapped: sealValue(ring, imageId, key) };
}

export const unwrapDataKey = (ring: KeyRing, imageId: string, wrapped: SealedValue): Buffer =>
  openValue(ring, imageId, wrapped);

/**
 * The nonce contains the index of the chunk and a flag for the last one: chunks cannot be swapped, dropped or cut off.
 * A data key seals one blob only, so no nonce is used twice (NIST SP 800-38D, 8.2.1).
 */
function nonce(index: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(index, 4);
  bytes.writeUInt8(last ? 1 : 0, 11);
  return bytes;
}

/** Bytes that are encrypted at once. Their ciphertext is a buffer of its own, until it is copied into the chunk. */
const STEP = 64 * 1024;

/**
 * Seals a chunk into the beginning of `into`, which must have space for it and a tag, and returns that beginning. `plain`
 * may be the beginning of `into` itself.
 */
export function sealChunk(key: Buffer, index: number, last: boolean, plain: Buffer, into: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce(index, last));
  for (let from = 0; from < plain.length; from += STEP) {
    cipher.update(plain.subarray(from, from + STEP)).copy(into, from);
  }
  // GCM has no padding: nothing follows but the tag.
  cipher.final();
  cipher.getAuthTag().copy(into, plain.length);
  return into.subarray(0, plain.length + TAG);
}

/** Opens a chunk. Throws `IntegrityError` when the chunk was changed or is in another place. */
export function openChunk(key: Buffer, index: number, last: boolean, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce(index, last), { authTagLength: TAG }).setAuthTag(
    sealed.subarray(-TAG),
  );
  // GCM has no padding: `update` returns all bytes, and `final` only checks the tag.
  const plain = decipher.update(sealed.subarray(0, -TAG));
  try {
    decipher.final();
  } catch {
    throw new IntegrityError(`Chunk ${index} of a blob was changed.`);
  }
  return plain;
}

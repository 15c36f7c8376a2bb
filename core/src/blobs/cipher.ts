import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing } from '../keys/keyring.js';
import { open, seal } from '../keys/seal.js';
import type { WrappedKey } from '../models/types.js';

/** Bytes of plain text that are sealed, stored and opened at a time. */
export const PIECE = 1024 * 1024;
export const TAG = 16;

/** A fresh key for one image, and the same key wrapped for its record. Rotating keys rewrites records, not blobs. */
export function newDataKey(ring: KeyRing, imageId: string): { key: Buffer; wrapped: WrappedKey } {
  const key = randomBytes(32);
  return { key, wrapped: { keyId: ring.current.id, sealed: seal(ring.current.key, imageId, key) } };
}

export function unwrapDataKey(ring: KeyRing, imageId: string, wrapped: WrappedKey): Buffer {
  const wrapping = ring.find(wrapped.keyId);
  if (!wrapping) throw new Error(`No encryption key '${wrapped.keyId}' in the ring.`);
  return open(wrapping.key, imageId, bufferOf(wrapped.sealed));
}

/** Lean reads give the driver's Binary where a hydrated document gives a Buffer; either way nothing is copied. */
export function bufferOf(bytes: Buffer | { buffer: Uint8Array }): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  const { buffer, byteOffset, byteLength } = bytes.buffer;
  return Buffer.from(buffer, byteOffset, byteLength);
}

/**
 * The nonce is the piece's place and whether it is the last: pieces cannot be swapped, dropped or cut off. A data key
 * seals one blob only, so no nonce is used twice (NIST SP 800-38D, 8.2.1).
 */
function nonce(index: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(index, 4);
  bytes.writeUInt8(last ? 1 : 0, 11);
  return bytes;
}

export function sealPiece(key: Buffer, index: number, last: boolean, plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce(index, last));
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the piece was changed or stands in another place. */
export function openPiece(key: Buffer, index: number, last: boolean, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce(index, last), { authTagLength: TAG }).setAuthTag(
    sealed.subarray(-TAG),
  );
  // GCM has no padding: all of it comes out of `update`, and `final` only proves it.
  const plain = decipher.update(sealed.subarray(0, -TAG));
  decipher.final();
  return plain;
}

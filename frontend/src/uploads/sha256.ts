import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Files up to this size are hashed at once by the browser, which is faster. Larger ones would fill the memory. */
const atOnceBytes = 16 * 1024 ** 2;
const pieceBytes = 4 * 1024 ** 2;

/** Returns the SHA-256 of a file as 64 hexadecimal digits. On plain http browsers have no `crypto.subtle`. */
export async function sha256Of(blob: Blob): Promise<string> {
  if (crypto.subtle && blob.size <= atOnceBytes) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  }
  const hash = sha256.create();
  for (let at = 0; at < blob.size; at += pieceBytes) {
    hash.update(new Uint8Array(await blob.slice(at, at + pieceBytes).arrayBuffer()));
  }
  return bytesToHex(hash.digest());
}

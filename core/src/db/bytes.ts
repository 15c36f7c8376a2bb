/**
 * Returns bytes as a Buffer without copying them. Lean reads return the driver's Binary, hydrated documents a Buffer.
 */
export function bufferOf(bytes: Buffer | { buffer: Uint8Array }): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  const { buffer, byteOffset, byteLength } = bytes.buffer;
  return Buffer.from(buffer, byteOffset, byteLength);
}

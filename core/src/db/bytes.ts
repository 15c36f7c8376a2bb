/** Lean reads give the driver's Binary where a hydrated document gives a Buffer; either way nothing is copied. */
export function bufferOf(bytes: Buffer | { buffer: Uint8Array }): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  const { buffer, byteOffset, byteLength } = bytes.buffer;
  return Buffer.from(buffer, byteOffset, byteLength);
}

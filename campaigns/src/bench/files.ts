import { randomFillSync } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const GREY_8_BIT = [8, 0, 0, 0, 0];

/** Returns a valid square PNG of grey noise, a little smaller than `bytes`. Each is different and cannot be compressed. */
export const noisePng = (bytes: number): Buffer => pngOf(bytes, Buffer.alloc(0));

/** Returns a PNG of `bytes` that is cheap to draw: a small picture after an ancillary chunk of noise. */
export const paddedPng = (bytes: number): Buffer =>
  pngOf(10_000, chunk('ruSt', randomFillSync(Buffer.alloc(bytes - 10_000))));

/** Returns a square picture of noise, with `between` before its pixels. */
function pngOf(bytes: number, between: Buffer): Buffer {
  const side = Math.floor(Math.sqrt(bytes * 0.998)) - 1;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set(GREY_8_BIT, 8);
  const rows = randomFillSync(Buffer.alloc(side * (side + 1)));
  // Every row begins with its filter type: 0 is none.
  for (let row = 0; row < side; row++) rows[row * (side + 1)] = 0;
  const packed = deflateSync(rows, { level: 0 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    between,
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)]);
}

const BOUNDARY = 'lightbox-bench-boundary';
export const formType = `multipart/form-data; boundary=${BOUNDARY}`;

/** Returns the form of the upload call. */
export function uploadForm(file: Buffer, type: string): Buffer {
  const part = (headers: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(`${part('name="caption"')}bench\r\n`),
    Buffer.from(part(`name="file"; filename="file"\r\nContent-Type: ${type}`)),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
}

import { readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { dicomPicture } from '@lightbox/testkit/part10.js';

function chunk(type: string, body: Buffer): Buffer {
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  out.write(type, 4, 'latin1');
  body.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
  return out;
}

/** Makes a grey PNG. With `bytes` the file has exactly that length, filled with a chunk that readers skip. */
export function png(width: number, height: number, bytes?: number, lines = height): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const parts = (filler: Buffer[]) => [
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...filler,
    chunk('IDAT', deflateSync(Buffer.alloc(lines * (width + 1)))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  const plain = Buffer.concat(parts([]));
  if (bytes === undefined) return plain;
  return Buffer.concat(parts([chunk('prVt', Buffer.alloc(bytes - plain.length - 12, 1))]));
}

const asset = (name: string): Buffer => readFileSync(new URL(`../../assets/demo/${name}`, import.meta.url));

export const files = {
  png: png(3, 2),
  jpeg: asset('hand-xray.jpg'),
  pdf: asset('report.pdf'),
  dicom: dicomPicture(),
};

import { randomBytes, randomFillSync } from 'node:crypto';
import { element, partTen } from '@lightbox/testkit/part10.js';

const XRAY = '1.2.840.10008.5.1.4.1.1.1.1';
/** The value of a pixel of soft tissue, and the noise that a real picture has around it. */
const TISSUE = 1_000;
const NOISE = 64;

const newUid = (): string => `2.25.${BigInt(`0x${randomBytes(16).toString('hex')}`)}`;

/** Returns a DICOM file with new identifiers, alone in its study: a server that has it takes it for another one. */
export function scanOf(pixels: Buffer): Buffer {
  const side = Math.sqrt(pixels.length / 2);
  return partTen(
    Buffer.concat([
      element(0x00080016, 'UI', XRAY),
      element(0x00080018, 'UI', newUid()),
      element(0x00080020, 'DA', '20261112'),
      element(0x00080060, 'CS', 'DX'),
      element(0x00100010, 'PN', 'PHANTOM^ONE'),
      element(0x00100020, 'LO', 'P1'),
      element(0x0020000d, 'UI', newUid()),
      element(0x0020000e, 'UI', newUid()),
      element(0x00200013, 'IS', '1'),
      element(0x00280002, 'US', 1),
      element(0x00280004, 'CS', 'MONOCHROME2'),
      element(0x00280010, 'US', side),
      element(0x00280011, 'US', side),
      element(0x00280100, 'US', 16),
      element(0x00280101, 'US', 16),
      element(0x00280102, 'US', 15),
      element(0x00280103, 'US', 0),
      element(0x7fe00010, 'OW', pixels),
    ]),
  );
}

const sideOf = (bytes: number): number => Math.floor(Math.sqrt(bytes / 2));

/** Returns the pixels of a square picture of noise, 16 bits each, of about `bytes`. */
export const noise = (bytes: number): Buffer => randomFillSync(Buffer.alloc(sideOf(bytes) ** 2 * 2));

/** Returns the pixels of a bright disc with the noise of a real picture, so that a PNG of it is as large as one. */
export function disc(bytes: number): Buffer {
  const side = sideOf(bytes);
  const pixels = Buffer.alloc(side * side * 2);
  for (let i = 0; i < side * side; i++) {
    const far = Math.hypot((i % side) - side / 2, Math.floor(i / side) - side / 2) / side;
    const value = far > 0.45 ? 0 : TISSUE * (1 - far) + Math.random() * NOISE;
    pixels.writeUInt16LE(Math.floor(value), i * 2);
  }
  return pixels;
}

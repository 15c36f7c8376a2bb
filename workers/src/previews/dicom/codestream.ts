import { Undrawable } from './dataSet.js';

/** The facts that a compressed frame states about itself. */
export interface Codestream {
  rows: number;
  columns: number;
  samples: number;
  bits: number;
  signed: boolean;
}

/** Facts of a JPEG or JPEG-LS stream. */
export interface JpegStream extends Codestream {
  /** The start of frame marker: 0xc0 baseline, 0xc1 extended, 0xc3 lossless, 0xf7 JPEG-LS. */
  process: number;
  /** The ids of the components are the letters R, G and B. */
  hasRgbIds: boolean;
  hasJfif: boolean;
  /** Offset and length of the segments APP0 and APP14, which name a colour space. */
  colourSegments: [number, number][];
}

const SOI = 0xffd8;
const SOS = 0xda;
const APP0 = 0xe0;
const APP14 = 0xee;
const STARTS_OF_FRAME = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xf7]);

/** Reads the segments of a JPEG stream (ITU-T T.81, T.87) up to the first scan. */
export function readJpeg(stream: Buffer): JpegStream {
  if (stream.length < 4 || stream.readUInt16BE(0) !== SOI) throw new Undrawable('not a JPEG stream');
  const colourSegments: [number, number][] = [];
  let hasJfif = false;
  for (let at = 2; at + 4 <= stream.length; ) {
    // Markers may be preceded by any number of 0xFF.
    if (stream[at] !== 0xff) throw new Undrawable('a JPEG stream without markers');
    const marker = stream[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = 2 + stream.readUInt16BE(at + 2);
    if (marker === APP0 || marker === APP14) colourSegments.push([at, length]);
    if (marker === APP0 && stream.toString('latin1', at + 4, at + 8) === 'JFIF') hasJfif = true;
    if (STARTS_OF_FRAME.has(marker)) return { ...startOfFrame(stream, at, marker), hasJfif, colourSegments };
    if (marker === SOS) break;
    at += length;
  }
  throw new Undrawable('a JPEG stream without a frame');
}

function startOfFrame(stream: Buffer, at: number, process: number): Omit<JpegStream, 'hasJfif' | 'colourSegments'> {
  if (at + 10 > stream.length) throw new Undrawable('a JPEG stream that ends early');
  const samples = stream[at + 9] ?? 0;
  const ids = Array.from({ length: samples }, (_, i) => String.fromCharCode(stream[at + 10 + i * 3] ?? 0)).join('');
  return {
    process,
    bits: stream[at + 4] ?? 0,
    rows: stream.readUInt16BE(at + 5),
    columns: stream.readUInt16BE(at + 7),
    samples,
    signed: false,
    hasRgbIds: ids.toUpperCase() === 'RGB',
  };
}

const SIGNATURE_BOX = Buffer.from('0000000c6a502020', 'hex');

/** Facts of a JPEG 2000 codestream. */
export interface Jpeg2000Stream extends Codestream {
  /** True when the file wraps the codestream in boxes, against PS3.5 §A.4.4. */
  isBoxed: boolean;
}

/** Reads the marker SIZ of a JPEG 2000 codestream (ITU-T T.800 §A.5.1). */
export function readJpeg2000(stream: Buffer): Jpeg2000Stream {
  const isBoxed = stream.subarray(0, 8).equals(SIGNATURE_BOX);
  const at = isBoxed ? stream.indexOf(Buffer.from('ff4fff51', 'hex')) : 0;
  if (at < 0 || stream.length < at + 44 || stream.readUInt32BE(at) !== 0xff4fff51) {
    throw new Undrawable('not a JPEG 2000 codestream');
  }
  const [right, bottom] = [stream.readUInt32BE(at + 8), stream.readUInt32BE(at + 12)];
  const [left, top] = [stream.readUInt32BE(at + 16), stream.readUInt32BE(at + 20)];
  const depth = stream[at + 42] ?? 0;
  return {
    columns: right - left,
    rows: bottom - top,
    samples: stream.readUInt16BE(at + 40),
    bits: (depth & 0x7f) + 1,
    signed: (depth & 0x80) !== 0,
    isBoxed,
  };
}

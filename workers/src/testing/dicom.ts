import { createRequire } from 'node:module';
import { deflateRawSync } from 'node:zlib';
import { bare, bigElement, element, item, partTen, sequenceEnd, UNDEFINED } from '@lightbox/testkit/part10.js';
import type * as Codecs from 'dcmjs-codecs';

const { Context, NativeCodecs } = createRequire(import.meta.url)('dcmjs-codecs') as typeof Codecs;

/** Elements of a data set: tag, VR and value, which is a number of 16 bits, a text or bytes. */
export type Row = readonly [tag: number, vr: string, value: number | string | Buffer];
export type Coding = 'explicit' | 'implicit' | 'big' | 'deflated';

const syntaxOf: Record<Coding, string> = {
  explicit: '1.2.840.10008.1.2.1',
  implicit: '1.2.840.10008.1.2',
  big: '1.2.840.10008.1.2.2',
  deflated: '1.2.840.10008.1.2.1.99',
};

function bytesOf(vr: string, value: Row[2], big: boolean): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === 'string') return Buffer.from(value.length % 2 === 0 ? value : `${value} `, 'latin1');
  const bytes = Buffer.alloc(2);
  if (big) bytes.writeUInt16BE(value);
  else bytes.writeUInt16LE(value);
  return vr === '' ? Buffer.alloc(0) : bytes;
}

/** Returns a data set in one of the codings. */
export function dataSet(rows: readonly Row[], coding: Coding = 'explicit'): Buffer {
  return Buffer.concat(
    rows.map(([tag, vr, value]) => {
      const body = bytesOf(vr, value, coding === 'big');
      if (coding === 'implicit') return bare(tag, body);
      return coding === 'big' ? bigElement(tag, vr, body) : element(tag, vr, body);
    }),
  );
}

export interface Pixels {
  rows: number;
  columns: number;
  samples?: number;
  bits: number;
  stored?: number;
  high?: number;
  signed?: boolean;
  photometric?: string;
  planar?: number;
  frames?: number;
  extra?: readonly Row[];
}

/** Returns the pixel module (PS3.3 §C.7.6.3), in the order of the tags. */
export function pixelModule({ rows, columns, samples = 1, bits, stored = bits, ...rest }: Pixels): Row[] {
  const { high = stored - 1, signed = false, planar, frames, extra = [] } = rest;
  const module: Row[] = [
    [0x00080060, 'CS', 'OT'],
    [0x00280002, 'US', samples],
    [0x00280004, 'CS', rest.photometric ?? (samples === 1 ? 'MONOCHROME2' : 'RGB')],
    [0x00280010, 'US', rows],
    [0x00280011, 'US', columns],
    [0x00280100, 'US', bits],
    [0x00280101, 'US', stored],
    [0x00280102, 'US', high],
    [0x00280103, 'US', signed ? 1 : 0],
    ...extra,
  ];
  if (planar !== undefined) module.push([0x00280006, 'US', planar]);
  if (frames !== undefined) module.push([0x00280008, 'IS', String(frames)]);
  return module.sort(([a], [b]) => a - b);
}

/** Returns a file with native pixels. */
export function nativeFile(pixels: Pixels, data: Buffer, coding: Coding = 'explicit', vr = 'OW'): Buffer {
  const even = data.length % 2 === 0 ? data : Buffer.concat([data, Buffer.alloc(1)]);
  const set = dataSet([...pixelModule(pixels), [0x7fe00010, vr, even]], coding);
  return partTen(coding === 'deflated' ? deflateRawSync(set) : set, syntaxOf[coding]);
}

/** Returns a file with encapsulated pixels. `table` is the Basic Offset Table. */
export function encapsulatedFile(
  pixels: Pixels,
  syntax: string,
  fragments: readonly Buffer[],
  table: Buffer = Buffer.alloc(0),
): Buffer {
  const padded = fragments.map((bytes) => (bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(1)])));
  return partTen(
    Buffer.concat([
      dataSet(pixelModule(pixels)),
      element(0x7fe00010, 'OB', Buffer.alloc(0), UNDEFINED),
      item(table),
      ...padded.map((bytes) => item(bytes)),
      sequenceEnd(),
    ]),
    syntax,
  );
}

type Encoder = 'encodeRle' | 'encodeJpeg' | 'encodeJpegLs' | 'encodeJpeg2000' | 'encodeHtJpeg2000';

/** Compresses one frame without loss. */
export function compress(encoder: Encoder, pixels: Pixels, data: Buffer): Buffer {
  const context = new Context({
    width: pixels.columns,
    height: pixels.rows,
    samplesPerPixel: pixels.samples ?? 1,
    bitsAllocated: pixels.bits,
    bitsStored: pixels.stored ?? pixels.bits,
    pixelRepresentation: pixels.signed ? 1 : 0,
    planarConfiguration: 0,
    photometricInterpretation: pixels.photometric ?? (pixels.samples === 3 ? 'RGB' : 'MONOCHROME2'),
    decodedBuffer: data,
  });
  const encoded = NativeCodecs[encoder](context, { lossy: false }).getEncodedBuffer();
  return Buffer.from(encoded ?? []);
}

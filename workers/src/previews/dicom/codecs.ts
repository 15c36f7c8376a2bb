import { createRequire } from 'node:module';
import type * as Codecs from 'dcmjs-codecs';
import { Undrawable } from './dataSet.js';

// A CommonJS bundle: Node cannot see its export names from an ES module.
const { Context, NativeCodecs } = createRequire(import.meta.url)('dcmjs-codecs') as typeof Codecs;

/** The shape of a compressed frame. The codecs write samples of 8 or 16 bits, interleaved, little endian. */
export interface Shape {
  rows: number;
  columns: number;
  samples: number;
  bitsAllocated: number;
  bitsStored: number;
  signed: boolean;
}

type Decode = (context: InstanceType<typeof Context>) => InstanceType<typeof Context>;

const decoders = {
  rle: (context) => NativeCodecs.decodeRle(context),
  // Without conversion: libjpeg guesses the colours, and the header says them (`photometric.ts`).
  jpeg: (context) => NativeCodecs.decodeJpeg(context, { convertColorspaceToRgb: false }),
  jpegLs: (context) => NativeCodecs.decodeJpegLs(context),
  jpeg2000: (context) => NativeCodecs.decodeJpeg2000(context),
  htJpeg2000: (context) => NativeCodecs.decodeHtJpeg2000(context),
  jpegXl: (context) => NativeCodecs.decodeJpegXl(context),
} satisfies Record<string, Decode>;
export type CodecName = keyof typeof decoders;

/** Transfer syntaxes of compressed pixel data (PS3.5 §A.4) and their codecs. */
const codecs: Record<string, CodecName> = {
  '1.2.840.10008.1.2.5': 'rle',
  '1.2.840.10008.1.2.4.50': 'jpeg',
  '1.2.840.10008.1.2.4.51': 'jpeg',
  '1.2.840.10008.1.2.4.53': 'jpeg',
  '1.2.840.10008.1.2.4.55': 'jpeg',
  '1.2.840.10008.1.2.4.57': 'jpeg',
  '1.2.840.10008.1.2.4.70': 'jpeg',
  '1.2.840.10008.1.2.4.80': 'jpegLs',
  '1.2.840.10008.1.2.4.81': 'jpegLs',
  '1.2.840.10008.1.2.4.90': 'jpeg2000',
  '1.2.840.10008.1.2.4.91': 'jpeg2000',
  '1.2.840.10008.1.2.4.92': 'jpeg2000',
  '1.2.840.10008.1.2.4.93': 'jpeg2000',
  '1.2.840.10008.1.2.4.201': 'htJpeg2000',
  '1.2.840.10008.1.2.4.202': 'htJpeg2000',
  '1.2.840.10008.1.2.4.203': 'htJpeg2000',
  '1.2.840.10008.1.2.4.110': 'jpegXl',
  '1.2.840.10008.1.2.4.111': 'jpegXl',
  '1.2.840.10008.1.2.4.112': 'jpegXl',
};

export function codecOf(syntax: string): CodecName {
  const codec = Object.hasOwn(codecs, syntax) ? codecs[syntax] : undefined;
  if (!codec) throw new Undrawable('no codec for this transfer syntax');
  return codec;
}

let ready: Promise<void> | null = null;

/** Loads the codecs, and loads them again after a failure: the memory of the failed ones may be damaged. */
export function loadCodecs(): Promise<void> {
  ready ??= NativeCodecs.initializeAsync();
  return ready;
}

/** Decodes one frame. Throws when the result does not have the shape that was asked for. */
export function decompress(codec: CodecName, encoded: Buffer, shape: Shape): Buffer {
  const context = new Context({
    width: shape.columns,
    height: shape.rows,
    samplesPerPixel: shape.samples,
    bitsAllocated: shape.bitsAllocated,
    bitsStored: shape.bitsStored,
    pixelRepresentation: shape.signed ? 1 : 0,
    planarConfiguration: 0,
    photometricInterpretation: shape.samples === 1 ? 'MONOCHROME2' : 'RGB',
    encodedBuffer: encoded,
  });
  try {
    const decoded = decoders[codec](context).getDecodedBuffer();
    const wanted = shape.rows * shape.columns * shape.samples * (shape.bitsAllocated / 8);
    if (!decoded || decoded.length < wanted) throw new Undrawable('a frame is shorter than the header says');
    return Buffer.from(decoded.buffer, decoded.byteOffset, wanted);
  } catch (error) {
    ready = null;
    throw error;
  }
}

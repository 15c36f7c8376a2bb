import type { Drawing } from '@lightbox/core/imaging/drawing.js';
import sharp from 'sharp';
import { codecOf, decompress, loadCodecs } from '../previews/dicom/codecs.js';

/** A picture as numbers, row by row. */
export interface Values {
  width: number;
  height: number;
  samples: number;
  values: ArrayLike<number>;
}

/** Returns the bytes of a frame, from 0, as the gateway serves them. */
export function servedBytes({ frames }: Drawing, source: Buffer, frame: number): Buffer {
  const parts = frames[frame] ?? [];
  return Buffer.concat(
    parts.map((part) =>
      'bytes' in part ? Buffer.from(part.bytes, 'base64') : source.subarray(part[0], part[0] + part[1]),
    ),
  );
}

/** Decodes a frame as a browser does: by its media type and the served facts, and by nothing else of the file. */
export async function viewerFrame(drawing: Drawing, source: Buffer, frame: number): Promise<Values> {
  const { rows = 0, columns = 0, samplesPerPixel: samples = 1 } = drawing.facts;
  const bytes = servedBytes(drawing, source, frame);
  return { width: columns, height: rows, samples, values: await decoded(drawing, bytes) };
}

async function decoded({ facts, mediaType }: Drawing, bytes: Buffer): Promise<ArrayLike<number>> {
  const { rows = 0, columns = 0, samplesPerPixel: samples = 1, bitsAllocated = 8, bitsStored = 8 } = facts;
  // A browser reads colours of JPEG by the markers of the stream, as this library does.
  if (mediaType.startsWith('image/jpeg') && samples === 3) return sharp(bytes).toColourspace('srgb').raw().toBuffer();
  const signed = facts.pixelRepresentation === 1;
  if (mediaType.endsWith('=1.2.840.10008.1.2.1'))
    return numbers(bytes, bitsAllocated, signed, rows * columns * samples);
  await loadCodecs();
  const shape = { rows, columns, samples, bitsAllocated, bitsStored, signed };
  const raw = decompress(codecOf(facts.transferSyntax ?? ''), bytes, shape);
  return numbers(raw, bitsAllocated, signed, rows * columns * samples);
}

function numbers(bytes: Buffer, bits: number, signed: boolean, count: number): ArrayLike<number> {
  const start = new Uint8Array(bytes.subarray(0, (count * bits) / 8)).buffer;
  if (bits === 8) return new (signed ? Int8Array : Uint8Array)(start);
  if (bits === 16) return new (signed ? Int16Array : Uint16Array)(start);
  return new (signed ? Int32Array : Uint32Array)(start);
}

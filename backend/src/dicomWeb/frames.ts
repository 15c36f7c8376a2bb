import type { dicomWebCalls } from '@lightbox/contract/dicomWeb/calls.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { rangesOf, sourceOf } from '@lightbox/core/deidentify/copy.js';
import { AppError } from '@lightbox/core/errors.js';
import { swapped } from '@lightbox/core/imaging/byteOrder.js';
import type { Range } from '@lightbox/core/imaging/fragments.js';
import { encapsulatedTypes } from '@lightbox/core/imaging/mediaTypes.js';
import type { Context, Gateway } from '../context.js';
import { acceptedBy } from '../http/accept.js';
import { stream } from '../http/stream.js';
import { frameBytes } from '../images/frameBytes.js';
import { guarded } from '../images/imageBytes.js';
import { countRead } from '../images/looks.js';
import { takesPart } from './accept.js';
import { type Found, type InstanceDoc, mayStill, requireInstances } from './instances.js';
import { multipartOf, type Part } from './multipart.js';
import { seenFile } from './retrieve.js';
import { type StoredFrames, storedFrames } from './storedFrames.js';

const EXPLICIT_LITTLE = '1.2.840.10008.1.2.1';
const BYTES = 'application/octet-stream';

/**
 * Streams frames as they are stored (WADO-RS, PS3.18 §10.4.1.1.4). Nothing is decoded;
 * big endian pixels become little endian, as the type of plain ones says.
 */
export async function retrieveFrames(context: Context<typeof dicomWebCalls.retrieveFrames>): Promise<undefined> {
  const { gateway, viewer, params, req } = context;
  const [found] = (await requireInstances(gateway, viewer, params, 'open')) as [Found];
  const { image } = found;
  const stored = await framesIn(gateway, image);
  const type = typeFor(req, image, stored);
  const read = pixelsOf(gateway, image, stored);
  const parts = [...new Set(params.frames)].map((n) => framePart(stored, read, n, type));
  const { headers, chunks } = multipartOf(parts);
  await stream(context, {
    headers: { ...guarded(type), ...headers },
    chunks,
    record: () => countRead(context, 'image.view', seenFile(found)),
    may: mayStill(gateway, [found], 'open'),
  });
  return undefined;
}

export const framesIn = (gateway: Gateway, image: InstanceDoc): Promise<StoredFrames> =>
  storedFrames(String(image.blob), sourceOf(gateway, image));

/** Returns a frame as a part of an answer. Throws `NO_FRAME` for a number that the file does not have. */
export function framePart(stored: StoredFrames, read: ReadRanges, n: number, type: string): Part {
  const ranges = stored.frames[n - 1];
  if (!ranges) throw new AppError('NO_FRAME');
  return {
    type,
    length: ranges.reduce((sum, [, length]) => sum + length, 0),
    read: () => read(ranges),
  };
}

/** Yields ranges of a file, or of its unpacked data set. */
export type ReadRanges = (ranges: readonly Range[]) => AsyncGenerator<Buffer>;

/** Returns a reader of ranges for one answer. */
export function readerOf(gateway: Gateway, image: InstanceDoc, deflatedFrom?: number): ReadRanges {
  const { blobs, keys } = gateway;
  const { _id, blob, dataKey, size } = image;
  if (deflatedFrom === undefined) {
    const key = unwrapDataKey(keys.images, String(_id), dataKey);
    return (ranges) => frameBytes(blobs, { blob, size, key }, ranges);
  }
  const read = rangesOf(gateway, image, deflatedFrom);
  return async function* (ranges) {
    for (const [offset, length] of ranges) yield* read(offset, offset + length);
  };
}

/** Returns a reader of ranges of the pixels of a file, in little endian. */
export function pixelsOf(gateway: Gateway, image: InstanceDoc, { swap, deflatedFrom }: StoredFrames): ReadRanges {
  const read = readerOf(gateway, image, deflatedFrom);
  if (!swap) return read;
  return async function* (ranges) {
    for (const range of ranges) yield* inWords(read, range, swap);
  };
}

/**
 * Yields a range of big endian words in little endian. Of a frame of an odd number of bytes, a word belongs to its neighbour
 * too. Bytes behind the last whole word stay as they are.
 */
async function* inWords(
  read: ReadRanges,
  [from, length]: Range,
  { origin, end, word }: NonNullable<StoredFrames['swap']>,
): AsyncGenerator<Buffer> {
  let skip = (from - origin) % word;
  const start = from - skip;
  const inWhole = Math.ceil((skip + length) / word) * word;
  let left = length;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of read([[start, Math.min(inWhole, end - start)]])) {
    const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const whole = all.length - (all.length % word);
    const part = swapped(all.subarray(0, whole), word).subarray(skip, skip + left);
    rest = all.subarray(whole);
    skip = Math.max(0, skip - whole);
    left -= part.length;
    if (part.length > 0) yield part;
  }
  if (left > 0) yield rest.subarray(skip, skip + left);
}

/**
 * Chooses the type of the parts. Plain pixels are bytes in little endian. Encapsulated ones have the type of their transfer
 * syntax, or are bytes for a client that names the syntax, or takes any.
 */
export function typeFor(req: Context['req'], image: InstanceDoc, { encapsulated }: StoredFrames): string {
  const stored = image.dicomDetail?.transferSyntax ?? '';
  const syntax = encapsulated ? stored : EXPLICIT_LITTLE;
  const own = (encapsulated ? encapsulatedTypes[stored] : undefined) ?? BYTES;
  for (const accepted of acceptedBy(req)) {
    const { syntax: asked } = accepted;
    const named = asked === '*' || asked === syntax || (!encapsulated && asked === stored);
    // Without a name, bytes are those of plain pixels in little endian.
    const plain = own !== BYTES || !encapsulated || accepted.part === null;
    if (takesPart(accepted, own) && (named || (asked === null && plain))) {
      return `${own}; transfer-syntax=${syntax}`;
    }
    if (named && takesPart(accepted, BYTES)) return `${BYTES}; transfer-syntax=${syntax}`;
  }
  throw new AppError('NOT_ACCEPTABLE');
}

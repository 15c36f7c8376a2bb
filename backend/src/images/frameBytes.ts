import { CHUNK } from '@lightbox/core/blobs/cipher.js';
import type { BlobStore } from '@lightbox/core/blobs/store.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { IntegrityError } from '@lightbox/core/errors.js';
import type { FramePart } from '@lightbox/core/imaging/drawing.js';

/** The blob in which the parts of frames lie. */
export interface Source {
  blob: ObjectId;
  key: Buffer;
  size: number;
}

type Range = readonly [offset: number, length: number];

const isLiteral = (part: FramePart): part is { bytes: string } => 'bytes' in part;

export const lengthOf = (parts: FramePart[]): number =>
  parts.reduce((sum, part) => sum + (isLiteral(part) ? Buffer.byteLength(part.bytes, 'base64') : part[1]), 0);

/**
 * Yields the bytes of a frame, part by part. Parts that lie near each other are read together, so that no chunk is
 * opened twice. Throws when a part lies outside of the blob.
 */
export async function* frameBytes(
  blobs: BlobStore,
  source: Source,
  parts: readonly FramePart[],
): AsyncGenerator<Buffer> {
  for (const run of runsOf(parts)) {
    if (Buffer.isBuffer(run)) yield run;
    else yield* cutOut(blobs, source, run);
  }
}

/** Gathers ranges that follow each other with gaps smaller than a chunk. */
function runsOf(parts: readonly FramePart[]): (Buffer | Range[])[] {
  const runs: (Buffer | Range[])[] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (isLiteral(part)) runs.push(Buffer.from(part.bytes, 'base64'));
    else if (Array.isArray(run) && follows(run, part)) run.push(part);
    else runs.push([part]);
  }
  return runs;
}

function follows(run: Range[], [offset]: Range): boolean {
  const gap = offset - endOf(run.at(-1) as Range);
  return gap >= 0 && gap < CHUNK;
}

const endOf = ([offset, length]: Range): number => offset + length;

async function* cutOut(blobs: BlobStore, { blob, key, size }: Source, run: Range[]): AsyncGenerator<Buffer> {
  const [from, to] = [(run[0] as Range)[0], endOf(run.at(-1) as Range)];
  if (to > size) throw new IntegrityError(`A frame lies outside of blob ${blob}.`);
  const waiting = run.values();
  let next = waiting.next();
  let at = from;
  for await (const chunk of blobs.read(blob, key, size, { from, to })) {
    const end = at + chunk.length;
    const pieces: Buffer[] = [];
    while (!next.done && next.value[0] < end) {
      pieces.push(chunk.subarray(Math.max(0, next.value[0] - at), endOf(next.value) - at));
      if (endOf(next.value) > end) break;
      next = waiting.next();
    }
    // Of thousands of tiny parts, a write for each would cost more than their bytes.
    if (pieces.length > 0) yield pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    at = end;
  }
}

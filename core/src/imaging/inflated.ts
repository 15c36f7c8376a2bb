import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { limits } from '@lightbox/contract/limits.js';
import { MoreBytes } from '../deidentify/elements.js';
import { AppError } from '../errors.js';
import type { Source } from './source.js';

/** Bytes that are read, or unpacked, in one piece. */
const PIECE = 256 * 1024;

/**
 * Unpacks the data set of a deflated file (PS3.5 §A.5), whose packed bytes begin at `start`: piece by piece, in a thread of
 * Node's pool, and no faster than the pieces are taken. So a small file that unpacks to a large one needs little memory.
 * Throws `UNREADABLE_FILE` for a damaged or too large one.
 */
async function* inflated({ size, read }: Source, start: number): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: PIECE });
  async function* packed() {
    for (let at = start; at < size; at += PIECE) yield await read(at, Math.min(size, at + PIECE));
  }
  // The loop below throws its faults.
  pipeline(packed, inflater).catch(() => undefined);
  let bytes = 0;
  try {
    for await (const piece of inflater as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > limits.dicomInflatedBytes) throw new AppError('UNREADABLE_FILE');
      yield piece;
    }
  } catch (error) {
    throw isOfFile(error) ? new AppError('UNREADABLE_FILE') : error;
  }
}

const isOfFile = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

/**
 * Reads the first bytes of an unpacked data set with `read`: `first` bytes, and four times as many whenever it throws
 * `MoreBytes`. Returns null when it needs more than `most`.
 */
export async function readInflated<T>(
  source: Source,
  start: number,
  { first, most }: { first: number; most: number },
  read: (bytes: Buffer, isWhole: boolean) => Promise<T>,
): Promise<T | null> {
  const pieces: Buffer[] = [];
  let have = 0;
  let wanted = first;
  for await (const piece of inflated(source, start)) {
    pieces.push(piece);
    have += piece.length;
    if (have < wanted) continue;
    try {
      return await read(Buffer.concat(pieces), false);
    } catch (error) {
      if (!(error instanceof MoreBytes)) throw error;
    }
    if (have >= most) return null;
    wanted *= 4;
  }
  return read(Buffer.concat(pieces), true);
}

/** Times that a reader begins anew, for ranges that go back. Without a limit a short request could unpack a file often. */
const MOST_PASSES = 10;

/** Reads ranges of the unpacked data set of a deflated file. Ranges that follow each other share one pass over it. */
export class InflatedReader {
  private pieces: AsyncGenerator<Buffer> | null = null;
  private passes = 0;
  /** The bytes that were unpacked and not yet passed, and their place in the data set. */
  private rest: Buffer = Buffer.alloc(0);
  private at = 0;

  constructor(
    private readonly source: Source,
    private readonly start: number,
  ) {}

  /** Yields a range. Throws `UNREADABLE_FILE` when the data set ends before it, or the ranges went back too often. */
  async *range(from: number, to: number): AsyncGenerator<Buffer> {
    if (from < this.at) await this.end();
    while (this.at < to) {
      const piece = this.rest.length > 0 ? this.rest : await this.next();
      const part = piece.subarray(Math.max(0, from - this.at), to - this.at);
      const used = Math.min(piece.length, to - this.at);
      this.rest = piece.subarray(used);
      this.at += used;
      if (part.length > 0) yield part;
    }
  }

  /** Ends the pass. The next range begins anew. */
  private async end(): Promise<void> {
    const { pieces } = this;
    Object.assign(this, { pieces: null, rest: Buffer.alloc(0), at: 0 });
    await pieces?.return(undefined);
  }

  private async next(): Promise<Buffer> {
    if (!this.pieces) {
      this.passes += 1;
      if (this.passes > MOST_PASSES) throw new AppError('UNREADABLE_FILE');
      this.pieces = inflated(this.source, this.start);
    }
    const { done, value } = await this.pieces.next();
    if (done) throw new AppError('UNREADABLE_FILE');
    return value;
  }
}

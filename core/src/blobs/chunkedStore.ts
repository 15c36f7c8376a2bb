import { type ObjectId, oid } from '../db/ids.js';
import { CHUNK, openChunk, sealChunk, TAG } from './cipher.js';
import type { StoreName } from './names.js';
import { sealedChunks } from './sealedChunks.js';
import { type BlobStore, type ByteRange, chunksOf, MissingChunk, type WrittenBlob } from './store.js';

/** A place for sealed chunks, by the text of the blob's id and the chunk's number. A stored chunk never changes. */
export interface ChunkPlace {
  readonly name: StoreName;
  /** Resolves when the chunk is durable. Throws `ChunkExists` when there is one with this number. */
  put(id: string, index: number, sealed: Buffer): Promise<void>;
  /** Returns null when there is no such chunk. */
  get(id: string, index: number): Promise<Buffer | null>;
  /** Returns the numbers of the stored chunks, in any order. */
  list(id: string): Promise<number[]>;
  /** Removes all chunks. None is no error. */
  remove(id: string): Promise<void>;
  /** Returns ids of blobs after one id and before another, in order, at most `limit`. */
  between(after: string, end: string, limit: number): Promise<string[]>;
}

export class ChunkExists extends Error {
  /** MongoDB's code of a duplicate key: callers treat all stores alike. */
  readonly code = 11_000;
}

/** Seals blobs into chunks, and keeps them in a place outside the database. */
export class ChunkedBlobStore implements BlobStore {
  constructor(private readonly place: ChunkPlace) {}

  async write(id: ObjectId, key: Buffer, plain: AsyncIterable<Buffer>): Promise<WrittenBlob> {
    let n = 0;
    // One chunk is stored while the next is received, and no more.
    let storing: Promise<unknown> = Promise.resolve();
    try {
      for await (const chunk of sealedChunks(key, plain)) {
        await storing;
        n++;
        storing = chunk.store((sealed, index) => this.place.put(String(id), index, sealed));
        storing.catch(() => undefined);
      }
      await storing;
      return this.written(id, n);
    } catch (error) {
      await storing.catch(() => undefined);
      await this.delete(id).catch(() => undefined);
      throw error;
    }
  }

  /** A chunk was durable when the place acknowledged it. */
  async confirm(): Promise<boolean> {
    return true;
  }

  async *read(id: ObjectId, key: Buffer, size: number, range?: ByteRange): AsyncGenerator<Buffer> {
    const { from, to } = range ?? { from: 0, to: size };
    if (!(0 <= from && from <= to && to <= size)) throw new RangeError(`A blob of ${size} bytes has no ${from}–${to}.`);
    if (range && from === to) return;
    const last = chunksOf(size) - 1;
    const end = Math.max(0, Math.ceil(to / CHUNK) - 1);
    const fetch = (index: number) => {
      const chunk = this.place.get(String(id), index);
      // It may fail while nobody waits for it.
      chunk.catch(() => undefined);
      return chunk;
    };
    const first = Math.floor(from / CHUNK);
    let coming = fetch(first);
    for (let index = first; index <= end; index++) {
      const sealed = await coming;
      if (!sealed) throw new MissingChunk(`Blob ${id} has no chunk ${index}.`);
      if (index < end) coming = fetch(index + 1);
      const start = index * CHUNK;
      yield openChunk(key, index, index === last, sealed).subarray(Math.max(0, from - start), to - start);
    }
  }

  async writeChunk(id: ObjectId, key: Buffer, chunk: { index: number; last: boolean; plain: Buffer }): Promise<void> {
    const { index, last, plain } = chunk;
    const sealed = sealChunk(key, index, last, plain, Buffer.allocUnsafeSlow(plain.length + TAG));
    await this.place.put(String(id), index, sealed);
  }

  async countChunks(id: ObjectId): Promise<number> {
    const stored = new Set(await this.place.list(String(id)));
    let n = 0;
    while (stored.has(n)) n++;
    return n;
  }

  async complete(id: ObjectId, size: number): Promise<WrittenBlob> {
    return this.written(id, chunksOf(size));
  }

  delete(id: ObjectId): Promise<void> {
    return this.place.remove(String(id));
  }

  async between(after: ObjectId, end: ObjectId, limit: number): Promise<ObjectId[]> {
    return (await this.place.between(String(after), String(end), limit)).map(oid);
  }

  async *readSealed(id: ObjectId): AsyncGenerator<Buffer> {
    for (let index = 0; ; index++) {
      const sealed = await this.place.get(String(id), index);
      if (!sealed) return;
      yield sealed;
    }
  }

  writeSealed(id: ObjectId, index: number, sealed: Buffer): Promise<void> {
    return this.place.put(String(id), index, sealed);
  }

  private written = (id: ObjectId, n: number): WrittenBlob => ({
    id,
    chunks: n,
    store: this.place.name,
    election: null,
  });
}

import type { ClientSession, Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import type { Elections } from '../db/elections.js';
import type { ObjectId } from '../db/ids.js';
import { ChunkedBlobStore } from './chunkedStore.js';
import { FilePlace } from './filePlace.js';
import { type StoreName, storeNames } from './names.js';
import { S3Place } from './s3Place.js';
import {
  type BlobStore,
  type ByteRange,
  GridFsBlobStore,
  type KeptChunks,
  MissingChunk,
  type WrittenBlob,
} from './store.js';

/**
 * Returns the stores that are configured. New blobs go to `BLOB_STORE`; blobs in the others are still found there, so
 * they can be moved while the product runs.
 */
export function openBlobStores(db: Connection, { blobs }: Pick<Config, 'blobs'>, elections: Elections): BlobStores {
  return new BlobStores(
    {
      gridfs: new GridFsBlobStore(db, elections),
      ...(blobs.s3 ? { s3: new ChunkedBlobStore(new S3Place(blobs.s3)) } : {}),
      ...(blobs.dir ? { file: new ChunkedBlobStore(new FilePlace(blobs.dir)) } : {}),
    },
    blobs.store,
  );
}

export class BlobStores implements BlobStore {
  private readonly current: BlobStore;
  /** Each configured store once, the current one first. */
  private readonly inOrder: BlobStore[];

  constructor(
    readonly all: Partial<Record<StoreName, BlobStore>>,
    name: StoreName,
  ) {
    this.current = this.named(name);
    this.inOrder = [
      this.current,
      ...storeNames.flatMap((other) => all[other] ?? []).filter((one) => one !== this.current),
    ];
  }

  named(name: StoreName): BlobStore {
    const store = this.all[name];
    if (!store) throw new Error(`The blob store "${name}" is not configured.`);
    return store;
  }

  write(id: ObjectId, key: Buffer, plain: AsyncIterable<Buffer>): Promise<WrittenBlob> {
    return this.current.write(id, key, plain);
  }

  confirm(written: WrittenBlob, session: ClientSession): Promise<boolean> {
    return this.named(written.store).confirm(written, session);
  }

  /**
   * Continues in another store where one has no more chunks: the blob is being moved. Twice around, because a blob can
   * arrive in a store after that one was asked.
   */
  async *read(id: ObjectId, key: Buffer, size: number, range?: ByteRange, kept?: KeptChunks): AsyncGenerator<Buffer> {
    const stores = this.inOrder.length > 1 ? [...this.inOrder, ...this.inOrder] : this.inOrder;
    const { from: begin, to } = range ?? { from: 0, to: size };
    let from = begin;
    let missing: unknown;
    for (const store of stores) {
      try {
        for await (const part of store.read(id, key, size, from === begin ? range : { from, to }, kept)) {
          from += part.length;
          yield part;
        }
        return;
      } catch (error) {
        if (!(error instanceof MissingChunk)) throw error;
        missing = error;
      }
    }
    throw missing;
  }

  async writeChunk(id: ObjectId, key: Buffer, chunk: { index: number; last: boolean; plain: Buffer }): Promise<void> {
    await (await this.holderOf(id)).writeChunk(id, key, chunk);
  }

  async countChunks(id: ObjectId): Promise<number> {
    return (await this.holderOf(id)).countChunks(id);
  }

  async complete(id: ObjectId, size: number): Promise<WrittenBlob> {
    return (await this.holderOf(id)).complete(id, size);
  }

  async delete(id: ObjectId): Promise<void> {
    await Promise.all(this.inOrder.map((store) => store.delete(id)));
  }

  async between(after: ObjectId, end: ObjectId, limit: number): Promise<ObjectId[]> {
    const found = await Promise.all(this.inOrder.map((store) => store.between(after, end, limit)));
    // Each place may have more behind its last id, also one that returned less than it may: ids of others there come later.
    const [reached = ''] = found.flatMap((ids) => ids.at(-1)?.toHexString() ?? []).sort();
    const byText = new Map(found.flat().map((id) => [String(id), id]));
    return [...byText.keys()]
      .filter((text) => text <= reached)
      .sort()
      .slice(0, limit)
      .map((text) => byText.get(text) as ObjectId);
  }

  async *readSealed(id: ObjectId): AsyncGenerator<Buffer> {
    yield* (await this.holderOf(id)).readSealed(id);
  }

  async writeSealed(id: ObjectId, index: number, sealed: Buffer): Promise<void> {
    await this.current.writeSealed(id, index, sealed);
  }

  /** Returns the store that has chunks of the blob; the current one when none has. */
  private async holderOf(id: ObjectId): Promise<BlobStore> {
    if (this.inOrder.length === 1) return this.current;
    for (const store of this.inOrder) if ((await store.countChunks(id)) > 0) return store;
    return this.current;
  }
}

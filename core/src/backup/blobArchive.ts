import { PassThrough, Readable, type Writable } from 'node:stream';
import { extract, pack } from 'tar-stream';
import type { StoreName } from '../blobs/names.js';
import { type BlobStore, MissingChunk } from '../blobs/store.js';
import type { BlobStores } from '../blobs/stores.js';
import { firstId, isDuplicate, lastId, type ObjectId, oid } from '../db/ids.js';
import { HOUR_MS } from '../times.js';

const BATCH = 500;
/** A resumable upload may take so long: its blob can still grow. */
const GROWS_MS = 25 * HOUR_MS;

/** The configured places outside MongoDB. */
export const placesOutside = (blobs: BlobStores): [StoreName, BlobStore][] =>
  (Object.entries(blobs.all) as [StoreName, BlobStore][]).filter(([name]) => name !== 'gridfs');

/** Writes the sealed chunks of blobs into a tar archive: `<store>/<id>/<number>`. */
export class BlobArchive {
  private readonly archive = pack();
  readonly output = Readable.from(this.archive);
  /** The chunks that are in the archive, by the store and id of their blob. */
  private readonly packed = new Map<string, number>();
  chunks = 0;

  constructor(private readonly startedAt: Date) {}

  get blobs(): number {
    return this.packed.size;
  }

  /** Adds the chunks that are not in the archive yet. May be repeated: blobs come, grow and go meanwhile. */
  async add(name: StoreName, store: BlobStore, signal: AbortSignal): Promise<void> {
    const old = this.startedAt.getTime() - GROWS_MS;
    for (let after = firstId; ; ) {
      const ids = await store.between(after, lastId, BATCH);
      const last = ids.at(-1);
      if (!last) return;
      for (const id of ids) {
        signal.throwIfAborted();
        const known = this.packed.get(`${name}/${id}`) ?? 0;
        if (known === 0 || id.getTimestamp().getTime() > old) await this.addBlob(name, store, id, known);
      }
      after = last;
    }
  }

  private async addBlob(name: StoreName, store: BlobStore, id: ObjectId, known: number): Promise<void> {
    let index = 0;
    try {
      for await (const sealed of store.readSealed(id)) {
        if (index++ < known) continue;
        await this.put(`${name}/${id}/${index - 1}`, sealed);
        this.packed.set(`${name}/${id}`, index);
        this.chunks++;
      }
    } catch (error) {
      // It was deleted meanwhile.
      if (!(error instanceof MissingChunk)) throw error;
    }
  }

  private put(name: string, sealed: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const closed = () => reject(Object.assign(new Error('The archive was closed.'), { code: 'EPIPE' }));
      this.archive.once('close', closed);
      this.archive.entry({ name, mode: 0o600 }, sealed, (error) => {
        this.archive.off('close', closed);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  end(): void {
    this.archive.finalize();
  }

  destroy(error: Error): void {
    this.output.destroy(error);
  }
}

export interface Unpacked {
  chunks: number;
  /** Chunks that the store had already. A stored chunk never changes. */
  present: number;
}

/** Stores the chunks of an archive in the places from which they came. */
export function unpackBlobs(blobs: BlobStores): { input: Writable; ended: Promise<void>; unpacked: Unpacked } {
  const unpacked: Unpacked = { chunks: 0, present: 0 };
  const input = new PassThrough();
  const archive = extract();
  input.on('error', (error) => archive.destroy(error));
  input.pipe(archive);
  const work = async () => {
    for await (const entry of archive) {
      const [, name, id, index] = /^(\w+)\/([0-9a-f]{24})\/(\d+)$/.exec(entry.header.name) ?? [];
      if (!name || !id) throw new Error('The archive holds a file that is no chunk.');
      const parts: Buffer[] = [];
      for await (const part of entry) parts.push(part as Buffer);
      try {
        await blobs.named(name as StoreName).writeSealed(oid(id), Number(index), Buffer.concat(parts));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        unpacked.present++;
      }
      unpacked.chunks++;
    }
  };
  const ended = work().catch((error) => {
    input.destroy();
    throw error;
  });
  ended.catch(() => undefined);
  return { input, ended, unpacked };
}

import type { ClientSession, Connection, mongo } from 'mongoose';
import { bufferOf } from '../db/bytes.js';
import { Elections } from '../db/elections.js';
import { newId, type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { onOne } from '../db/onOne.js';
import { IntegrityError } from '../errors.js';
import { CHUNK, openChunk, sealChunk, TAG } from './cipher.js';
import type { StoreName } from './names.js';
import { sealedChunks } from './sealedChunks.js';

/** A blob that was written, for `confirm`. */
export interface WrittenBlob {
  id: ObjectId;
  chunks: number;
  /** The store that has it. */
  store: StoreName;
  /** Number of elections that were seen before the first chunk was written; null when others wrote it. */
  election: number | null;
}

/** A range of bytes: from the first one up to, and without, `to`. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Sealed chunks in memory, by the id of their blob. */
export interface KeptChunks {
  get: (id: string) => Buffer | undefined;
  /** Reads a chunk anew, and keeps it. */
  read: (id: string, read: () => Promise<Buffer | null>) => Promise<Buffer | null>;
}

/** Thrown when a store does not have a chunk of a blob. */
export class MissingChunk extends IntegrityError {}

/** A store of sealed bytes. */
export interface BlobStore {
  /** Seals and stores the bytes; resolves when all of them are stored. On an error nothing stays. */
  write(id: ObjectId, key: Buffer, plain: AsyncIterable<Buffer>): Promise<WrittenBlob>;
  /**
   * True when all chunks still exist. Called in the transaction that records the image, after its first command: a
   * primary that failed may have lost chunks that only it had acknowledged.
   */
  confirm(written: WrittenBlob, session: ClientSession): Promise<boolean>;
  /**
   * Yields the bytes of a blob, or of a range of it, in order, in parts of at most one chunk. A changed, missing or
   * swapped chunk throws before its bytes are yielded. Only the chunks that the range touches are read. A blob of one chunk
   * is read from `kept`, if it is there, and kept there.
   */
  read(id: ObjectId, key: Buffer, size: number, range?: ByteRange, kept?: KeptChunks): AsyncGenerator<Buffer>;
  /**
   * Stores one chunk of a blob that arrives in parts. Throws a duplicate key error when the chunk is stored already: a
   * chunk is never sealed again with other bytes.
   */
  writeChunk(id: ObjectId, key: Buffer, chunk: { index: number; last: boolean; plain: Buffer }): Promise<void>;
  /** Returns the number of chunks that are stored without a gap. */
  countChunks(id: ObjectId): Promise<number>;
  /** Completes a blob whose chunks were written one by one. May be repeated. */
  complete(id: ObjectId, size: number): Promise<WrittenBlob>;
  /** Deletes a blob. A missing blob is no error: deletions are repeated after a crash. */
  delete(id: ObjectId): Promise<void>;
  /**
   * Returns ids of blobs between two ids, in order, at most `limit`; for finding blobs without a record. There may be more
   * behind the last one, until none is returned.
   */
  between(after: ObjectId, end: ObjectId, limit: number): Promise<ObjectId[]>;
  /** Yields the sealed chunks of a blob as they are stored, in order, up to the first that is missing. */
  readSealed(id: ObjectId): AsyncGenerator<Buffer>;
  /** Stores a sealed chunk as it is. `complete` ends the blob. */
  writeSealed(id: ObjectId, index: number, sealed: Buffer): Promise<void>;
}

const BUCKET = 'blobs';

interface Chunk {
  _id: ObjectId;
  files_id: ObjectId;
  n: number;
  data: Buffer | mongo.Binary;
}

/** The record that GridFS stores for a file. */
interface FileEntry {
  _id: ObjectId;
  length: number;
  chunkSize: number;
  uploadDate: Date;
  filename: string;
}

// Each chunk is verified when it is opened. A chunk that a new primary does not show yet would look damaged.
const newest = { readConcern: { level: NEWEST } } as const;

/**
 * Writes the collections of GridFS directly: the driver's stream copies each chunk once more and waits for one write at
 * a time. Chunks are written on one member. The image's record is written after them with a majority, and makes them durable
 * too, because the oplog is replicated in order (docs/architecture.md, "Uploads"). That holds for one primary; `confirm`
 * checks after a change of the primary.
 */
export class GridFsBlobStore implements BlobStore {
  private indexed: Promise<unknown> | null = null;

  constructor(
    private readonly db: Connection,
    private readonly elections = new Elections(db),
  ) {}

  async write(id: ObjectId, key: Buffer, plain: AsyncIterable<Buffer>): Promise<WrittenBlob> {
    await this.index();
    const election = this.elections.seen;
    let length = 0;
    let n = 0;
    // One chunk is written while the next is received, and no more: memory stays bounded.
    let pendingWrite: Promise<unknown> = Promise.resolve();
    try {
      for await (const chunk of sealedChunks(key, plain)) {
        await pendingWrite;
        n++;
        length += chunk.length;
        pendingWrite = chunk.store((sealed, index) => this.insert(id, index, sealed));
        pendingWrite.catch(() => undefined);
      }
      await Promise.all([pendingWrite, this.files().insertOne(entryOf(id, length), onOne)]);
      return { id, chunks: n, store: 'gridfs', election };
    } catch (error) {
      await pendingWrite.catch(() => undefined);
      await this.delete(id).catch(() => undefined);
      throw error;
    }
  }

  private async insert(id: ObjectId, n: number, data: Buffer): Promise<void> {
    await this.chunks().insertOne({ _id: newId(), files_id: id, n, data }, onOne);
  }

  async confirm({ id, chunks, election }: WrittenBlob, session: ClientSession): Promise<boolean> {
    if (election === this.elections.seen) return true;
    const [stored, files] = [
      await this.chunks().countDocuments({ files_id: id }, { session }),
      await this.files().countDocuments({ _id: id }, { session }),
    ];
    return stored === chunks && files === 1;
  }

  async *read(id: ObjectId, key: Buffer, size: number, range?: ByteRange, kept?: KeptChunks): AsyncGenerator<Buffer> {
    const { from, to } = range ?? { from: 0, to: size };
    if (!(0 <= from && from <= to && to <= size)) throw new RangeError(`A blob of ${size} bytes has no ${from}–${to}.`);
    if (range && from === to) return;
    const last = chunksOf(size) - 1;
    if (last === 0) {
      const read = () => this.onlyChunk(id);
      const sealed = kept?.get(String(id)) ?? (await (kept ? kept.read(String(id), read) : read()));
      if (!sealed) throw new MissingChunk(`Blob ${id} has no chunk.`);
      yield openChunk(key, 0, true, sealed).subarray(from, to);
      return;
    }
    const wanted = { first: Math.floor(from / CHUNK), last: Math.max(0, Math.ceil(to / CHUNK) - 1) };
    const chunks = this.chunks().find(
      { files_id: id, n: { $gte: wanted.first, $lte: wanted.last } },
      { sort: { n: 1 }, batchSize: 2 },
    );
    let index = wanted.first;
    try {
      for await (const chunk of chunks) {
        if (chunk.n !== index) break;
        const plain = openChunk(key, index, index === last, bufferOf(chunk.data));
        const start = index * CHUNK;
        yield plain.subarray(Math.max(0, from - start), to - start);
        index++;
      }
    } finally {
      await chunks.close();
    }
    if (index <= wanted.last) throw new MissingChunk(`Blob ${id} has ${index} of ${last + 1} chunks.`);
  }

  private async onlyChunk(id: ObjectId): Promise<Buffer | null> {
    const chunk = await this.chunks().findOne({ files_id: id, n: 0 });
    return chunk && bufferOf(chunk.data);
  }

  async writeChunk(
    id: ObjectId,
    key: Buffer,
    { index, last, plain }: { index: number; last: boolean; plain: Buffer },
  ): Promise<void> {
    await this.index();
    const data = sealChunk(key, index, last, plain, Buffer.allocUnsafeSlow(plain.length + TAG));
    await this.insert(id, index, data);
  }

  async countChunks(id: ObjectId): Promise<number> {
    // The index has all that this reads.
    const stored = this.chunks().find({ files_id: id }, { sort: { n: 1 }, projection: { _id: 0, n: 1 } });
    let count = 0;
    for await (const { n } of stored) {
      if (n !== count) break;
      count++;
    }
    return count;
  }

  async complete(id: ObjectId, size: number): Promise<WrittenBlob> {
    const { _id: _, ...entry } = entryOf(id, size + chunksOf(size) * TAG);
    await this.files().updateOne({ _id: id }, { $setOnInsert: entry }, { upsert: true, ...onOne });
    return { id, chunks: chunksOf(size), store: 'gridfs', election: null };
  }

  async delete(id: ObjectId): Promise<void> {
    await this.files().deleteOne({ _id: id });
    await this.chunks().deleteMany({ files_id: id });
  }

  async between(after: ObjectId, end: ObjectId, limit: number): Promise<ObjectId[]> {
    // Chunks of an upload that was cut short have no `files` entry, and they must be found. So this reads the index of
    // the chunks, and all of it: a failover may have lost any chunk, also the first.
    const rows = await this.chunks()
      .find({ files_id: { $gt: after, $lt: end } }, { projection: { _id: 0, files_id: 1 } })
      .sort({ files_id: 1, n: 1 })
      .limit(limit)
      .toArray();
    return [...new Set(rows.map((row) => String(row.files_id)))].map(oid);
  }

  async *readSealed(id: ObjectId): AsyncGenerator<Buffer> {
    const chunks = this.chunks().find({ files_id: id }, { sort: { n: 1 }, batchSize: 2 });
    let index = 0;
    for await (const { n, data } of chunks) {
      if (n !== index++) return;
      yield bufferOf(data);
    }
  }

  async writeSealed(id: ObjectId, index: number, sealed: Buffer): Promise<void> {
    await this.index();
    await this.insert(id, index, sealed);
  }

  /** Creates the index that GridFS specifies, once per process. */
  private index(): Promise<unknown> {
    this.indexed ??= this.chunks()
      .createIndex({ files_id: 1, n: 1 }, { unique: true })
      .catch((error) => {
        this.indexed = null;
        throw error;
      });
    return this.indexed;
  }

  private chunks(): mongo.Collection<Chunk> {
    return database(this.db).collection(`${BUCKET}.chunks`, newest);
  }

  private files(): mongo.Collection<FileEntry> {
    return database(this.db).collection(`${BUCKET}.files`, newest);
  }
}

/** Returns the number of chunks of so many bytes. An empty blob has one. */
export const chunksOf = (size: number): number => Math.max(1, Math.ceil(size / CHUNK));

const entryOf = (id: ObjectId, length: number): FileEntry => ({
  _id: id,
  length,
  chunkSize: CHUNK + TAG,
  uploadDate: id.getTimestamp(),
  filename: '',
});

function database(db: Connection): mongo.Db {
  if (!db.db) throw new Error('The database is not connected.');
  return db.db;
}

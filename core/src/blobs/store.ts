import type { ClientSession, Connection, mongo } from 'mongoose';
import { bufferOf } from '../db/bytes.js';
import { Elections } from '../db/elections.js';
import { newId, type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { IntegrityError } from '../errors.js';
import { CHUNK, openChunk, sealChunk, TAG } from './cipher.js';

/** What was written, for `confirm`. */
export interface WrittenBlob {
  id: ObjectId;
  chunks: number;
  /** Elections seen before the first chunk was written. */
  election: number;
}

/** Where sealed bytes lie. GridFS today; whatever can keep chunks in order would do. */
export interface BlobStore {
  /** Seals and stores what comes; resolves when all of it is stored. On an error nothing stays. */
  write(id: ObjectId, key: Buffer, plain: AsyncIterable<Buffer>): Promise<WrittenBlob>;
  /**
   * Whether all of it is still there, asked in the transaction that makes it somebody's, after its first command. A
   * primary that fell may have taken chunks with it that only it had acknowledged.
   */
  confirm(written: WrittenBlob, session: ClientSession): Promise<boolean>;
  /** Proven chunks in order; a changed, missing or swapped chunk throws before its bytes are given out. */
  read(id: ObjectId, key: Buffer, size: number): AsyncGenerator<Buffer>;
  /** Deleting what is not there is no error: deletions are repeated after a crash. */
  delete(id: ObjectId): Promise<void>;
  /** Ids of blobs between two ids, in order, and no more than so many; for finding those without a record. */
  between(after: ObjectId, end: ObjectId, limit: number): Promise<ObjectId[]>;
}

const BUCKET = 'blobs';

interface Chunk {
  _id: ObjectId;
  files_id: ObjectId;
  n: number;
  data: Buffer | mongo.Binary;
}

/** What GridFS keeps of a file. */
interface FileEntry {
  _id: ObjectId;
  length: number;
  chunkSize: number;
  uploadDate: Date;
  filename: string;
}

// Written with w:1: the image's record, written after them with a majority, makes them durable too, since the oplog is
// replicated in order (docs/architecture.md, "Uploads"). That holds for one primary; `confirm` looks after a change.
const onOne = { writeConcern: { w: 1 } };

// Each chunk is proven when it is opened, and one that a new primary does not show yet would look like damage.
const newest = { readConcern: { level: NEWEST } } as const;

/** Writes the collections of GridFS itself: the driver's stream copies each chunk once more and waits for one write at a time. */
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
    // One chunk is on its way while the next is received and sealed, and no more: memory stays bounded.
    let onItsWay: Promise<unknown> = Promise.resolve();
    try {
      for await (const data of sealedChunks(key, plain)) {
        await onItsWay;
        length += data.length;
        onItsWay = this.chunks().insertOne({ _id: newId(), files_id: id, n: n++, data }, onOne);
        onItsWay.catch(() => undefined);
      }
      await Promise.all([onItsWay, this.files().insertOne(entryOf(id, length), onOne)]);
      return { id, chunks: n, election };
    } catch (error) {
      await onItsWay.catch(() => undefined);
      await this.delete(id).catch(() => undefined);
      throw error;
    }
  }

  async confirm({ id, chunks, election }: WrittenBlob, session: ClientSession): Promise<boolean> {
    if (election === this.elections.seen) return true;
    const [stored, files] = [
      await this.chunks().countDocuments({ files_id: id }, { session }),
      await this.files().countDocuments({ _id: id }, { session }),
    ];
    return stored === chunks && files === 1;
  }

  async *read(id: ObjectId, key: Buffer, size: number): AsyncGenerator<Buffer> {
    const count = Math.max(1, Math.ceil(size / CHUNK));
    const chunks = this.chunks().find({ files_id: id }, { sort: { n: 1 }, batchSize: 2 });
    let index = 0;
    try {
      for await (const chunk of chunks) {
        if (chunk.n !== index) break;
        yield openChunk(key, index, index === count - 1, bufferOf(chunk.data));
        index++;
      }
    } finally {
      await chunks.close();
    }
    if (index !== count) throw new IntegrityError(`Blob ${id} has ${index} of ${count} chunks.`);
  }

  async delete(id: ObjectId): Promise<void> {
    await this.files().deleteOne({ _id: id });
    await this.chunks().deleteMany({ files_id: id });
  }

  async between(after: ObjectId, end: ObjectId, limit: number): Promise<ObjectId[]> {
    // Chunks of an upload that was cut short have no `files` entry: they are what must be found. So the index of the chunks
    // is read, and all of it: a failover may have taken any chunk, also the first.
    const rows = await this.chunks()
      .find({ files_id: { $gt: after, $lt: end } }, { projection: { _id: 0, files_id: 1 } })
      .sort({ files_id: 1, n: 1 })
      .limit(limit)
      .toArray();
    return [...new Set(rows.map((row) => String(row.files_id)))].map(oid);
  }

  /** The index that GridFS is specified to have; once a process. */
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

const entryOf = (id: ObjectId, length: number): FileEntry => ({
  _id: id,
  length,
  chunkSize: CHUNK + TAG,
  uploadDate: id.getTimestamp(),
  filename: '',
});

/** Cuts a stream into chunks of one size and seals each; the last one is known only at the end, so one waits. */
async function* sealedChunks(key: Buffer, plain: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer | null = null;
  let index = 0;
  for await (const chunk of chunks(plain)) {
    if (waiting) yield sealChunk(key, index++, false, waiting);
    waiting = chunk;
  }
  yield sealChunk(key, index, true, waiting ?? Buffer.alloc(0));
}

async function* chunks(plain: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of plain) {
    let rest = part;
    while (length + rest.length >= CHUNK) {
      const cut = CHUNK - length;
      yield Buffer.concat([...parts, rest.subarray(0, cut)], CHUNK);
      rest = rest.subarray(cut);
      parts = [];
      length = 0;
    }
    if (rest.length > 0) {
      parts.push(rest);
      length += rest.length;
    }
  }
  if (length > 0) yield Buffer.concat(parts, length);
}

function database(db: Connection): mongo.Db {
  if (!db.db) throw new Error('The database is not connected.');
  return db.db;
}

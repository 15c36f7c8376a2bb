import type { ClientSession, Connection, mongo } from 'mongoose';
import { bufferOf } from '../db/bytes.js';
import { Elections } from '../db/elections.js';
import { newId, type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { Damaged } from '../errors.js';
import { openPiece, PIECE, sealPiece, TAG } from './cipher.js';

/** What was written, for `confirm`. */
export interface WrittenBlob {
  id: ObjectId;
  pieces: number;
  /** Elections seen before the first piece was written. */
  election: number;
}

/** Where sealed bytes lie. GridFS today; whatever can keep pieces in order would do. */
export interface BlobStore {
  /** Seals and stores what comes; resolves when all of it is stored. On an error nothing stays. */
  write(id: ObjectId, key: Buffer, plain: AsyncIterable<Buffer>): Promise<WrittenBlob>;
  /**
   * Whether all of it is still there, asked in the transaction that makes it somebody's, after its first command. A
   * primary that fell may have taken pieces with it that only it had acknowledged.
   */
  confirm(written: WrittenBlob, session: ClientSession): Promise<boolean>;
  /** Proven pieces in order; a changed, missing or swapped piece throws before its bytes are given out. */
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

// Each piece is proven when it is opened, and one that a new primary does not show yet would look like damage.
const newest = { readConcern: { level: NEWEST } } as const;

/** Writes the collections of GridFS itself: the driver's stream copies each piece once more and waits for one write at a time. */
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
    // One piece is on its way while the next is received and sealed, and no more: memory stays bounded.
    let onItsWay: Promise<unknown> = Promise.resolve();
    try {
      for await (const data of sealedPieces(key, plain)) {
        await onItsWay;
        length += data.length;
        onItsWay = this.chunks().insertOne({ _id: newId(), files_id: id, n: n++, data }, onOne);
        onItsWay.catch(() => undefined);
      }
      await Promise.all([onItsWay, this.files().insertOne(entryOf(id, length), onOne)]);
      return { id, pieces: n, election };
    } catch (error) {
      await onItsWay.catch(() => undefined);
      await this.delete(id).catch(() => undefined);
      throw error;
    }
  }

  async confirm({ id, pieces, election }: WrittenBlob, session: ClientSession): Promise<boolean> {
    if (election === this.elections.seen) return true;
    const [chunks, files] = [
      await this.chunks().countDocuments({ files_id: id }, { session }),
      await this.files().countDocuments({ _id: id }, { session }),
    ];
    return chunks === pieces && files === 1;
  }

  async *read(id: ObjectId, key: Buffer, size: number): AsyncGenerator<Buffer> {
    const pieces = Math.max(1, Math.ceil(size / PIECE));
    const chunks = this.chunks().find({ files_id: id }, { sort: { n: 1 }, batchSize: 2 });
    let index = 0;
    try {
      for await (const chunk of chunks) {
        if (chunk.n !== index) break;
        yield openPiece(key, index, index === pieces - 1, bufferOf(chunk.data));
        index++;
      }
    } finally {
      await chunks.close();
    }
    if (index !== pieces) throw new Damaged(`Blob ${id} has ${index} of ${pieces} pieces.`);
  }

  async delete(id: ObjectId): Promise<void> {
    await this.files().deleteOne({ _id: id });
    await this.chunks().deleteMany({ files_id: id });
  }

  async between(after: ObjectId, end: ObjectId, limit: number): Promise<ObjectId[]> {
    // Chunks of an upload that was cut short have no `files` entry: they are what must be found. So the index of the chunks
    // is read, and all of it: a failover may have taken any piece, also the first.
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
  chunkSize: PIECE + TAG,
  uploadDate: id.getTimestamp(),
  filename: '',
});

/** Cuts a stream into pieces of one size and seals each; the last one is known only at the end, so one waits. */
async function* sealedPieces(key: Buffer, plain: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer | null = null;
  let index = 0;
  for await (const piece of pieces(plain)) {
    if (waiting) yield sealPiece(key, index++, false, waiting);
    waiting = piece;
  }
  yield sealPiece(key, index, true, waiting ?? Buffer.alloc(0));
}

async function* pieces(plain: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of plain) {
    let rest = part;
    while (length + rest.length >= PIECE) {
      const cut = PIECE - length;
      yield Buffer.concat([...parts, rest.subarray(0, cut)], PIECE);
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

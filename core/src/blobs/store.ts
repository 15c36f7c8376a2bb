import { once } from 'node:events';
import type { Connection, mongo } from 'mongoose';
import mongoose from 'mongoose';
import type { ObjectId } from '../db/ids.js';
import { openPiece, PIECE, sealPiece, TAG } from './cipher.js';

/** Where sealed bytes lie. GridFS today; whatever can keep pieces in order would do. */
export interface BlobStore {
  /** Seals and stores what comes; resolves when all of it is stored. On an error nothing stays. */
  write(id: ObjectId, key: Buffer, plain: AsyncIterable<Buffer>): Promise<void>;
  /** Proven pieces in order; a changed, missing or swapped piece throws before its bytes are given out. */
  read(id: ObjectId, key: Buffer, size: number): AsyncGenerator<Buffer>;
  /** Deleting what is not there is no error: deletions are repeated after a crash. */
  delete(id: ObjectId): Promise<void>;
  /** Ids of blobs stored before a moment, oldest first; for finding those without a record. */
  olderThan(before: Date, after: ObjectId | null, limit: number): Promise<ObjectId[]>;
}

const BUCKET = 'blobs';

export class GridFsBlobStore implements BlobStore {
  private readonly bucket: mongo.GridFSBucket;

  constructor(private readonly db: Connection) {
    // Chunks are written with w:1: the image's record, written after them with a majority, makes them durable too,
    // since the oplog is replicated in order (docs/architecture.md, "Uploads").
    this.bucket = new mongoose.mongo.GridFSBucket(database(db), {
      bucketName: BUCKET,
      chunkSizeBytes: PIECE + TAG,
      writeConcern: { w: 1 },
    });
  }

  async write(id: ObjectId, key: Buffer, plain: AsyncIterable<Buffer>): Promise<void> {
    const upload = this.bucket.openUploadStreamWithId(id, '');
    const failed = new Promise<never>((_, reject) => upload.once('error', reject));
    failed.catch(() => undefined);
    try {
      for await (const sealed of sealedPieces(key, plain)) {
        if (!upload.write(sealed)) await Promise.race([once(upload, 'drain'), failed]);
      }
      upload.end();
      await Promise.race([once(upload, 'finish'), failed]);
    } catch (error) {
      await upload.abort().catch(() => undefined);
      throw error;
    }
  }

  async *read(id: ObjectId, key: Buffer, size: number): AsyncGenerator<Buffer> {
    const pieces = Math.max(1, Math.ceil(size / PIECE));
    const chunks = database(this.db)
      .collection<{ n: number; data: mongo.Binary }>(`${BUCKET}.chunks`)
      .find({ files_id: id }, { sort: { n: 1 }, batchSize: 2 });
    let index = 0;
    try {
      for await (const chunk of chunks) {
        if (chunk.n !== index) break;
        yield openPiece(key, index, index === pieces - 1, Buffer.from(chunk.data.buffer));
        index++;
      }
    } finally {
      await chunks.close();
    }
    if (index !== pieces) throw new Error(`Blob ${id} has ${index} of ${pieces} pieces.`);
  }

  async delete(id: ObjectId): Promise<void> {
    const db = database(this.db);
    await db.collection<{ _id: ObjectId }>(`${BUCKET}.files`).deleteOne({ _id: id });
    await db.collection(`${BUCKET}.chunks`).deleteMany({ files_id: id });
  }

  async olderThan(before: Date, after: ObjectId | null, limit: number): Promise<ObjectId[]> {
    // Chunks of an upload that was cut short have no `files` entry: they are what must be found.
    const latest = mongoose.mongo.ObjectId.createFromTime(Math.floor(before.getTime() / 1000));
    const rows = await database(this.db)
      .collection(`${BUCKET}.chunks`)
      .aggregate<{ _id: ObjectId }>([
        { $match: { files_id: { $lt: latest, ...(after ? { $gt: after } : {}) } } },
        { $sort: { files_id: 1, n: 1 } },
        { $group: { _id: '$files_id' } },
        { $sort: { _id: 1 } },
        { $limit: limit },
      ])
      .toArray();
    return rows.map((row) => row._id);
  }
}

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

import { randomBytes } from 'node:crypto';
import { testConfig } from '@lightbox/testkit/config.js';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../db/connect.js';
import { newId, type ObjectId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { CHUNK } from './cipher.js';
import { type ByteRange, GridFsBlobStore } from './store.js';

let db: Connection;
let store: GridFsBlobStore;
const key = randomBytes(32);

beforeAll(async () => {
  db = await connectDatabase(await testConfig());
  store = new GridFsBlobStore(db);
});
afterAll(() => db.close());

async function* inParts(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(id: ObjectId, size: number, range?: ByteRange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(id, key, size, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Writes of chunks are acknowledged by one member; a majority has them a moment later. */
const newest = { readConcern: { level: NEWEST } } as const;
const chunksOf = (id: ObjectId) => db.collection('blobs.chunks').countDocuments({ files_id: id }, newest);

describe('the blob store', () => {
  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 77])(
    'A blob of %i bytes is read as it was written.',
    async (size) => {
      const id = newId();
      const bytes = randomBytes(size);
      await store.write(id, key, inParts(bytes));
      expect((await readAll(id, size)).equals(bytes)).toBe(true);
    },
  );

  it('A range of a blob is read from the chunks that it touches, and from no other.', async () => {
    const size = 3 * CHUNK + 77;
    const [id, bytes] = [newId(), randomBytes(3 * CHUNK + 77)];
    await store.write(id, key, inParts(bytes));
    const ranges: [from: number, to: number][] = [
      [0, 1],
      [CHUNK - 1, CHUNK + 1],
      [CHUNK, 2 * CHUNK],
      [5, 2 * CHUNK + 5],
      [size - 1, size],
      [3 * CHUNK, size],
      [7, 7],
      [0, size],
    ];
    for (const [from, to] of ranges) {
      expect((await readAll(id, size, { from, to })).equals(bytes.subarray(from, to)), `${from}–${to}`).toBe(true);
    }
    for (const [from, to] of [
      [-1, 5],
      [5, 4],
      [0, size + 1],
      [Number.NaN, 5],
    ] as const) {
      await expect(readAll(id, size, { from, to }), `${from}–${to}`).rejects.toThrow(RangeError);
    }
    await db.collection('blobs.chunks').updateOne({ files_id: id, n: 1 }, { $set: { data: randomBytes(CHUNK + 16) } });
    expect(await readAll(id, size, { from: 2 * CHUNK, to: size })).toHaveLength(CHUNK + 77);
    await expect(readAll(id, size, { from: 2 * CHUNK - 1, to: size })).rejects.toThrow('Chunk 1');
  });

  it('A blob is stored in the collections that GridFS specifies, sealed.', async () => {
    const id = newId();
    const bytes = Buffer.alloc(CHUNK + 5, 'plain text');
    await store.write(id, key, inParts(bytes));
    expect(await db.collection('blobs.files').findOne({ _id: id }, newest)).toMatchObject({
      length: bytes.length + 2 * 16,
    });
    const first = await db.collection('blobs.chunks').findOne({ files_id: id, n: 0 }, newest);
    expect(Buffer.from(first?.data.buffer).includes('plain text')).toBe(false);
  });

  it('A read throws before it yields a chunk that was changed.', async () => {
    const id = newId();
    await store.write(id, key, inParts(randomBytes(100)));
    await db.collection('blobs.chunks').updateOne({ files_id: id }, { $set: { data: randomBytes(116) } });
    await expect(readAll(id, 100)).rejects.toThrow();
  });

  it('A read throws when the last chunk is gone.', async () => {
    const id = newId();
    await store.write(id, key, inParts(randomBytes(CHUNK + 100)));
    await db.collection('blobs.chunks').deleteOne({ files_id: id, n: 1 });
    await expect(readAll(id, CHUNK + 100)).rejects.toThrow('1 of 2 chunks');
  });

  it('A source that breaks off leaves no chunk.', async () => {
    const id = newId();
    async function* broken() {
      yield* inParts(randomBytes(3 * CHUNK));
      throw new Error('broken off');
    }
    await expect(store.write(id, key, broken())).rejects.toThrow('broken off');
    expect(await chunksOf(id)).toBe(0);
  });

  it('A deletion removes all of a blob, and may be repeated.', async () => {
    const id = newId();
    await store.write(id, key, inParts(randomBytes(10)));
    await store.delete(id);
    await store.delete(id);
    expect(await chunksOf(id)).toBe(0);
    expect(await db.collection('blobs.files').findOne({ _id: id }, newest)).toBeNull();
  });

  it('The list of blobs between two ids reads no more index entries than its limit.', async () => {
    const ids = Array.from({ length: 200 }, () => newId());
    const entries = ids.flatMap((id) => [0, 1].map((n) => ({ files_id: id, n })));
    await db.collection('blobs.chunks').insertMany(entries);
    const [first, last] = [ids[0] as ObjectId, ids[199] as ObjectId];
    await db.db?.command({ profile: 2 });
    expect((await store.between(first, last, 20)).map(String)).toEqual(ids.slice(1, 11).map(String));
    await db.db?.command({ profile: 0 });
    const find = { 'command.find': 'blobs.chunks' };
    const read = await db.collection('system.profile').findOne(find);
    expect(read).toMatchObject({ keysExamined: 20, docsExamined: 0 });
    expect(await store.between(last, newId(), 20)).toEqual([]);
  });

  it('Chunks are counted up to the first gap, by the index alone.', async () => {
    const id = newId();
    await db.collection('blobs.chunks').insertMany([0, 1, 2, 4].map((n) => ({ files_id: id, n })));
    await db.db?.command({ profile: 2 });
    expect(await store.countChunks(id)).toBe(3);
    await db.db?.command({ profile: 0 });
    const find = { 'command.find': 'blobs.chunks', 'command.filter.files_id': id };
    const read = await db.collection('system.profile').findOne(find);
    expect(read).toMatchObject({ keysExamined: 4, docsExamined: 0 });
    expect(await store.countChunks(newId())).toBe(0);
  });
});

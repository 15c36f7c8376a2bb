import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { testConfig } from '@lightbox/testkit/config.js';
import { findVersitygw, type S3Server, startS3 } from '@lightbox/testkit/s3Server.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobConfig, Config, S3Config } from '../config/config.js';
import { type Core, createCore } from '../core.js';
import { isAway } from '../db/away.js';
import { firstId, isDuplicate, lastId, newId, type ObjectId } from '../db/ids.js';
import { ChunkExists } from './chunkedStore.js';
import { CHUNK } from './cipher.js';
import { moveBlobs } from './move.js';
import type { StoreName } from './names.js';
import { S3Place } from './s3Place.js';
import { type BlobStore, type ByteRange, MissingChunk } from './store.js';
import { openBlobStores } from './stores.js';

/** The S3 server of these tests: that of S3_ENDPOINT, or versitygw (`npm run test:s3`). */
const versitygw = findVersitygw();
const hasS3 = Boolean(process.env.S3_ENDPOINT || versitygw);
/** Declares a test that needs the S3 server. */
const onS3 = (title: string, test: () => Promise<void>) => hasS3 && it(title, test);
if (!hasS3)
  process.stderr.write('The store s3 is not tested: S3_ENDPOINT and versitygw are missing (npm run test:s3).\n');

let server: S3Server | undefined;
let config: Config;
let core: Core;

async function s3Config(folder: string): Promise<S3Config | null> {
  const {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket = 'lightbox',
    S3_ACCESS_KEY_ID: accessKeyId = 'tester',
    S3_SECRET_ACCESS_KEY: secretAccessKey = 'Harbour-Lantern-42',
  } = process.env;
  if (endpoint) return { endpoint, bucket, accessKeyId, secretAccessKey, region: 'us-east-1', forcePathStyle: true };
  if (!versitygw) return null;
  server = await startS3(versitygw, folder);
  return server.config;
}

beforeAll(async () => {
  const base = await testConfig();
  const dir = mkdtempSync(join(base.dataDir, 'blobs-'));
  config = { ...base, blobs: { store: 'gridfs', dir, s3: await s3Config(join(base.dataDir, 's3')) } };
  core = await createCore(config, 'test');
});
afterAll(async () => {
  await core?.close();
  server?.stop();
});

const stores = (changes: Partial<BlobConfig> = {}) =>
  openBlobStores(core.db, { blobs: { ...config.blobs, ...changes } }, core.elections);

async function* inParts(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const key = randomBytes(32);

async function readAll(store: BlobStore, id: ObjectId, size: number, range?: ByteRange): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of store.read(id, key, size, range)) parts.push(part);
  return Buffer.concat(parts);
}

describe.each(['gridfs', 'file', ...(hasS3 ? (['s3'] as const) : [])] as const)('the store %s', (name) => {
  const store = () => stores().named(name);

  it.each([0, 1, CHUNK, 2 * CHUNK + 77])('gives %i bytes back as they were, and each range of them', async (size) => {
    const [id, bytes] = [newId(), randomBytes(size)];
    expect(await store().write(id, key, inParts(bytes))).toMatchObject({
      store: name,
      chunks: Math.max(1, Math.ceil(size / CHUNK)),
    });
    expect((await readAll(store(), id, size)).equals(bytes)).toBe(true);
    for (const [from, to] of [
      [0, 1],
      [CHUNK - 1, CHUNK + 1],
      [size - 1, size],
      [7, 7],
    ] as const) {
      if (from < 0 || to > size) continue;
      expect((await readAll(store(), id, size, { from, to })).equals(bytes.subarray(from, to)), `${from}–${to}`).toBe(
        true,
      );
    }
    await expect(readAll(store(), id, size, { from: 0, to: size + 1 })).rejects.toThrow(RangeError);
  });

  it('takes chunks one by one, each once, and counts those without a gap', async () => {
    const id = newId();
    const chunk = (index: number) => ({
      index,
      last: index === 2,
      plain: Buffer.alloc(index === 2 ? 9 : CHUNK, index),
    });
    for (const index of [0, 2]) await store().writeChunk(id, key, chunk(index));
    const again = await store()
      .writeChunk(id, key, chunk(0))
      .catch((error) => error);
    expect(isDuplicate(again)).toBe(true);
    expect(await store().countChunks(id)).toBe(1);
    await store().writeChunk(id, key, chunk(1));
    expect(await store().countChunks(id)).toBe(3);
    await store().complete(id, 2 * CHUNK + 9);
    expect((await readAll(store(), id, 2 * CHUNK + 9)).subarray(-9)).toEqual(Buffer.alloc(9, 2));
  });

  it('refuses a chunk that was changed, swapped or removed', async () => {
    const [id, other, size] = [newId(), newId(), 2 * CHUNK + 77];
    await store().write(id, key, inParts(randomBytes(size)));
    const sealed: Buffer[] = [];
    for await (const part of store().readSealed(id)) sealed.push(part);
    const [zero, one] = sealed as [Buffer, Buffer];
    await store().writeSealed(other, 0, one);
    await store().writeSealed(other, 1, zero);
    await expect(readAll(store(), other, size)).rejects.toThrow('Chunk 0');
    await store().delete(other);
    const flipped = Buffer.from(zero);
    flipped[5] = (flipped[5] as number) ^ 1;
    await store().writeSealed(other, 0, flipped);
    await expect(readAll(store(), other, size)).rejects.toThrow('Chunk 0');
    await store().delete(other);
    await store().writeSealed(other, 0, zero);
    await expect(readAll(store(), other, size)).rejects.toThrow(MissingChunk);
  });

  it('leaves nothing when the bytes end with an error, or are deleted, and lists the others in order', async () => {
    const broken = newId();
    async function* breaks(): AsyncGenerator<Buffer> {
      yield randomBytes(2 * CHUNK);
      throw new Error('The line broke.');
    }
    await expect(store().write(broken, key, breaks())).rejects.toThrow('The line broke.');
    const ids = [newId(), newId(), newId()];
    for (const id of ids) await store().write(id, key, inParts(Buffer.from('x')));
    const [one, two, three] = ids as [ObjectId, ObjectId, ObjectId];
    await store().delete(two);
    await store().delete(two);
    const listed = (await store().between(firstId, lastId, 1_000)).map(String);
    expect(listed).toEqual(listed.toSorted());
    for (const id of [broken, two]) expect(listed).not.toContain(String(id));
    expect((await store().between(one, three, 10)).map(String)).toEqual([]);
    expect((await store().between(two, lastId, 1)).map(String)).toEqual([String(three)]);
  });
});

describe('several stores', () => {
  const move = (to: StoreName) => moveBlobs({ ...core, blobs: stores({ store: to }) }, to);
  /** Stores one blob with a record. */
  async function store(name: StoreName, size: number) {
    const [blob, bytes] = [newId(), randomBytes(size)];
    const written = await stores({ store: name }).write(blob, key, inParts(bytes));
    await core.models.Image.collection.insertOne({ _id: newId(), blob, size, store: written.store } as never);
    return { blob, bytes, size };
  }
  const storeOf = async (blob: ObjectId) => (await core.models.Image.findOne({ blob }, { store: 1 }).lean())?.store;

  onS3('a blob is moved from GridFS to S3, to files and back, and is read all the time', async () => {
    const { blob, bytes, size } = await store('gridfs', 2 * CHUNK + 5);
    for (const to of ['s3', 'file', 'gridfs'] as const) {
      // A reader that began before the move gets the rest from the new store.
      const reader = stores({ store: to }).read(blob, key, size);
      const parts = [(await reader.next()).value as Buffer];
      await move(to);
      for await (const part of reader) parts.push(part);
      expect(Buffer.concat(parts).equals(bytes)).toBe(true);
      expect(await storeOf(blob)).toBe(to);
      expect((await readAll(stores({ store: to }).named(to), blob, size)).equals(bytes)).toBe(true);
      const others = (['gridfs', 's3', 'file'] as const).filter((name) => name !== to);
      for (const name of others) expect(await stores().named(name).countChunks(blob), name).toBe(0);
    }
  });

  it('an interrupted move leaves the blob readable, and the next one ends it', async () => {
    const one = await store('gridfs', CHUNK + 5);
    const two = await store('gridfs', 7);
    const all = stores({ store: 'file' });
    const target = all.named('file');
    const real = target.writeSealed.bind(target);
    target.writeSealed = async (id, index, sealed) => {
      if (index === 1) throw new Error('The machine stopped.');
      await real(id, index, sealed);
    };
    await expect(moveBlobs({ ...core, blobs: all }, 'file')).rejects.toThrow('The machine stopped.');
    for (const { blob, bytes, size } of [one, two]) {
      expect((await readAll(stores({ store: 'file' }), blob, size)).equals(bytes)).toBe(true);
    }
    expect((await move('file')).blobs).toBeGreaterThanOrEqual(1);
    expect(await move('file')).toMatchObject({ blobs: 0 });
    expect([await storeOf(one.blob), await storeOf(two.blob)]).toEqual(['file', 'file']);
  });

  it('a move that stopped while it removed the old copy loses nothing when it is repeated', async () => {
    const { blob, bytes, size } = await store('gridfs', 2 * CHUNK + 5);
    const all = stores({ store: 'file' });
    all.named('gridfs').delete = async () => {
      await core.db.db?.collection('blobs.chunks').deleteOne({ files_id: blob, n: 0 });
      throw new Error('The machine stopped.');
    };
    await expect(moveBlobs({ ...core, blobs: all }, 'file')).rejects.toThrow('The machine stopped.');
    await move('file');
    expect((await readAll(stores({ store: 'file' }).named('file'), blob, size)).equals(bytes)).toBe(true);
    expect(await stores().named('gridfs').countChunks(blob)).toBe(0);
    // Nor is the rest removed of a blob that is whole in neither store.
    const chunks = core.db.collection('blobs.chunks');
    await chunks.insertOne({ files_id: blob, n: 2, data: Buffer.from('x') });
    await rm(join(config.blobs.dir ?? '', String(blob).slice(0, 5), String(blob), '0'));
    expect(await move('file')).toMatchObject({ damaged: 1 });
    expect(await chunks.countDocuments({ files_id: blob })).toBe(1);
    await core.models.Image.collection.deleteOne({ blob });
    await stores().delete(blob);
  });

  it('a move into GridFS that loses a chunk after it was compared, as by an election, keeps the old copy', async () => {
    const { blob, bytes, size } = await store('file', CHUNK + 5);
    const all = stores({ store: 'gridfs' });
    const target = all.named('gridfs');
    const real = target.complete.bind(target);
    target.complete = async (id, length) => {
      const written = await real(id, length);
      await core.db.collection('blobs.chunks').deleteOne({ files_id: id, n: 1 });
      return written;
    };
    await expect(moveBlobs({ ...core, blobs: all }, 'gridfs')).rejects.toThrow(/lost parts .* start the command again/);
    expect((await readAll(stores().named('file'), blob, size)).equals(bytes)).toBe(true);
    expect(await storeOf(blob)).toBe('file');
    await move('gridfs');
    expect((await readAll(stores().named('gridfs'), blob, size)).equals(bytes)).toBe(true);
    expect(await storeOf(blob)).toBe('gridfs');
    expect(await stores().named('file').countChunks(blob)).toBe(0);
  });

  it('two moves at once lose nothing, and a blob that is deleted meanwhile stops neither', async () => {
    const kept = await Promise.all(Array.from({ length: 8 }, () => store('file', CHUNK + 5)));
    const gone = await store('file', 2 * CHUNK + 5);
    const slow = stores({ store: 'gridfs' });
    const target = slow.named('gridfs');
    const real = target.writeSealed.bind(target);
    target.writeSealed = async (id, index, sealed) => {
      if (index === 0 && id.equals(gone.blob)) {
        await core.models.Image.collection.deleteOne({ blob: id });
        await stores().delete(id);
      }
      await real(id, index, sealed);
    };
    await Promise.all([moveBlobs({ ...core, blobs: slow }, 'gridfs'), moveBlobs({ ...core, blobs: slow }, 'gridfs')]);
    for (const { blob, bytes, size } of kept) {
      expect((await readAll(slow.named('gridfs'), blob, size)).equals(bytes)).toBe(true);
      expect(await slow.named('file').countChunks(blob)).toBe(0);
    }
    for (const name of ['gridfs', 'file'] as const) expect(await slow.named(name).countChunks(gone.blob)).toBe(0);
  });

  it('a file of another program in the folder is no blob', async () => {
    const { blob } = await store('file', 3);
    await writeFile(join(config.blobs.dir ?? '', String(blob).slice(0, 5), `${String(blob).slice(0, 5)}~`), 'x');
    expect((await stores().named('file').between(firstId, lastId, 1_000)).map(String)).toContain(String(blob));
    await core.models.Image.collection.deleteOne({ blob });
    await stores().delete(blob);
  });

  it('a search for blobs comes to each of them, also those of many chunks beside a later one in another place', async () => {
    const before = newId();
    const made = [];
    for (const name of ['gridfs', 'gridfs', 'gridfs', 'file'] as const)
      made.push((await store(name, name === 'file' ? 3 : 2 * CHUNK + 5)).blob);
    const found: ObjectId[] = [];
    for (let after = before; ; ) {
      const ids = await stores().between(after, lastId, 4);
      const last = ids.at(-1);
      if (!last) break;
      found.push(...ids);
      after = last;
    }
    expect(found.map(String)).toEqual(made.map(String));
    await core.models.Image.collection.deleteMany({ blob: { $in: made } });
    for (const blob of made) await stores().delete(blob);
  });

  it('a blob without a record stays, for the upload that is under way', async () => {
    const id = newId();
    await stores().writeChunk(id, key, { index: 0, last: false, plain: Buffer.alloc(CHUNK) });
    expect((await move('file')).left).toBeGreaterThanOrEqual(1);
    // It goes on in the store where it began.
    const later = stores({ store: 'file' });
    await later.writeChunk(id, key, { index: 1, last: true, plain: Buffer.alloc(3) });
    expect(await later.complete(id, CHUNK + 3)).toMatchObject({ store: 'gridfs', chunks: 2 });
    expect(await readAll(later, id, CHUNK + 3)).toHaveLength(CHUNK + 3);
    await later.delete(id);
    expect(await later.countChunks(id)).toBe(0);
  });
});

/** Runs work with the address of a server that treats each connection as told. */
async function withServer(onConnection: (socket: Socket) => void, work: (endpoint: string) => Promise<void>) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
  }
}

describe('an S3 server with faults', () => {
  const placeAt = (endpoint: string, answerMs?: number) => {
    const to = config.blobs.s3 ?? { region: 'us-east-1', bucket: 'b', accessKeyId: 'a', secretAccessKey: 'b' };
    return new S3Place({ forcePathStyle: true, ...to, endpoint }, answerMs);
  };

  onS3('a chunk whose acknowledgement was lost is stored once; another in its place is refused', async () => {
    const { hostname, port } = new URL(config.blobs.s3?.endpoint ?? '');
    let lost = 0;
    const loseTheFirst = (socket: Socket) => {
      const there = connect({ host: hostname, port: Number(port) });
      there.on('error', () => socket.destroy());
      socket.pipe(there);
      there.on('data', (answer) => {
        if (lost++ === 0) socket.destroy();
        else socket.write(answer);
      });
    };
    await withServer(loseTheFirst, async (endpoint) => {
      const [place, id, bytes] = [placeAt(endpoint), String(newId()), randomBytes(1_000)];
      await place.put(id, 0, bytes);
      expect(lost).toBeGreaterThan(1);
      expect((await place.get(id, 0))?.equals(bytes)).toBe(true);
      lost = 0;
      await expect(place.put(id, 0, randomBytes(1_000))).rejects.toThrow(ChunkExists);
      await place.remove(id);
    });
  });

  /** Answers each call as told. */
  const answering =
    (status: string, body = '') =>
    (socket: Socket) =>
      void socket.once('data', () =>
        socket.end(
          `HTTP/1.1 ${status}\r\nContent-Type: application/xml\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        ),
      );
  const fault = (code: string) => `<Error><Code>${code}</Code></Error>`;

  it.each([
    ['that never answers', () => undefined],
    ['that is overloaded', answering('503 Slow Down')],
    ['that is asked too often', answering('429 Too Many Requests')],
    ['that refuses the key', answering('403 Forbidden', fault('InvalidAccessKeyId'))],
    ['whose bucket is gone', answering('404 Not Found', fault('NoSuchBucket'))],
    ['that does not speak HTTP', (socket: Socket) => void socket.end('SSH-2.0-server\r\n')],
  ])('one %s is away, for a while', async (_, treat) => {
    await withServer(treat, async (endpoint) => {
      const error = await placeAt(endpoint, 200)
        .get(String(newId()), 0)
        .catch((thrown) => thrown);
      expect(isAway(error), error).toBe(true);
    });
  });

  it('one that does not know a chunk is not away', async () => {
    await withServer(answering('404 Not Found', fault('NoSuchKey')), async (endpoint) => {
      expect(await placeAt(endpoint).get(String(newId()), 0)).toBeNull();
    });
  });
});

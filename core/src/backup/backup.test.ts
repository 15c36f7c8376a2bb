import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckFault, CheckName } from '@lightbox/contract/selfCheck/report.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CHUNK } from '../blobs/cipher.js';
import { openBlobStores } from '../blobs/stores.js';
import type { Config } from '../config/config.js';
import { makeKeys } from '../config/keys.js';
import { type Core, createCore } from '../core.js';
import { newId } from '../db/ids.js';
import { neededKeys } from '../keys/usage.js';
import { plant, uproot } from '../selfCheck/planted.js';
import { makeBackup } from './backup.js';
import { BlobArchive, unpackBlobs } from './blobArchive.js';
import { type Manifest, writeManifest } from './manifest.js';
import { makeSlice, slicesUntil } from './oplog.js';
import { faultsOf } from './printSelfCheck.js';
import { checkBeforeRestore, restoreBackup } from './restore.js';
import { readSealed, writeSealed } from './sealedFile.js';
import { findTools, serverUri } from './tools.js';
import { verifyRestored } from './verifyRestored.js';

let config: Config;
let core: Core;
beforeAll(async () => {
  const base = await testConfig();
  config = { ...base, blobs: { ...base.blobs, dir: join(base.dataDir, 'blobs') } };
  core = await createCore(config, 'test');
});
afterAll(() => core?.close());
afterEach(() => vi.unstubAllEnvs());

const folder = (): string => mkdtempSync(join(config.dataDir, 'backup-'));

/** A program that fails in the given way. The real programs are in infra/src/backup.test.ts. */
function standIn(name: string, script: string): string {
  const path = join(folder(), name);
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --version ] && exit 0\n${script}\n`, { mode: 0o755 });
  return path;
}

const signal = new AbortController().signal;

const content = Buffer.from('an archive');
const whole = (): Manifest => ({
  format: 1,
  product: '0.1.0',
  startedAt: new Date().toISOString(),
  at: new Date().toISOString(),
  database: core.db.name,
  head: null,
  encrypted: false,
  keyIds: {},
  stores: [],
  blobs: 0,
  chunks: 0,
  files: [
    { name: 'mongodb.archive', bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') },
  ],
});

describe('a backup', () => {
  it.each(['mongodump', 'mongorestore', 'age'] as const)(
    'names the missing program %s and its source',
    async (name) => {
      await expect(findTools([name], folder())).rejects.toThrow(
        new RegExp(`^\`${name}\` is not on the PATH: .+\\. Nothing was written\\.$`),
      );
    },
  );

  it('leaves nothing when a program fails, and repeats neither password nor value', async () => {
    const said = 'E11000 dup key: { email: "a@b.example" } at mongodb://root:Harbour-Lantern-42@db/';
    const tools = { mongodump: standIn('mongodump', `head -c 100000 /dev/zero; echo '${said}' >&2; exit 3`) };
    const to = folder();
    const error = await makeBackup(core, tools, { to, signal }).catch((each: Error) => each);
    expect((error as Error).message).toMatch(/^mongodump ended with status 3: E11000/);
    expect((error as Error).message).not.toMatch(/Harbour|a@b/);
    expect(readdirSync(to)).toEqual([]);
    expect(await core.models.Operation.exists({ _id: 'backup' })).toBeNull();
  });

  it('leaves nothing when it is stopped', async () => {
    const to = folder();
    const stop = new AbortController();
    const making = makeBackup(
      core,
      { mongodump: standIn('mongodump', 'exec sleep 60') },
      {
        to,
        signal: stop.signal,
        say: (line) => line.startsWith('Reading the database') && setTimeout(() => stop.abort(), 100),
      },
    );
    await expect(making).rejects.toThrow();
    expect(readdirSync(to)).toEqual([]);
  });

  it('of blobs outside MongoDB has those that came, grew or went while the database was read', async () => {
    const elections = core.elections;
    const stores = openBlobStores(core.db, { blobs: { ...config.blobs, store: 'file' } }, elections);
    const store = stores.named('file');
    const key = randomBytes(32);
    // An old blob grows too, while it is moved into this place.
    const growing = newId(new Date(Date.now() - 30 * 3_600_000));
    const [early, gone, late] = [newId(), newId(), newId()];
    const small = Buffer.from('one chunk');
    const write = (id: typeof early, plain: Buffer) =>
      store.write(
        id,
        key,
        (async function* () {
          yield plain;
        })(),
      );
    const big = randomBytes(CHUNK + 5);
    await Promise.all([write(early, big), write(gone, small)]);
    await store.writeChunk(growing, key, { index: 0, last: false, plain: big.subarray(0, CHUNK) });

    const path = join(folder(), 'blobs.tar');
    const archive = new BlobArchive();
    const filling = (async () => {
      await archive.add('file', store, signal);
      await store.writeChunk(growing, key, { index: 1, last: true, plain: big.subarray(CHUNK) });
      await Promise.all([write(late, small), store.delete(gone)]);
      await archive.add('file', store, signal);
      archive.end();
    })();
    const file = await writeSealed(
      path,
      { output: archive.output, ended: filling },
      { recipient: null, tools: {}, signal },
    );
    expect(file).toMatchObject({ name: 'blobs.tar', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect([archive.blobs, archive.chunks]).toEqual([4, 6]);

    const other = openBlobStores(core.db, { blobs: { store: 'file', dir: folder(), s3: null } }, elections);
    for (const present of [0, 6]) {
      const { input, ended, unpacked } = unpackBlobs(other);
      await readSealed(path, { input, ended }, { identity: null, tools: {}, signal });
      expect(unpacked).toEqual({ chunks: 6, present });
    }
    for (const [id, plain] of [
      [early, big],
      [growing, big],
      [gone, small],
      [late, small],
    ] as const) {
      const parts: Buffer[] = [];
      for await (const part of other.read(id, key, plain.length)) parts.push(part);
      expect(Buffer.concat(parts).equals(plain)).toBe(true);
    }
  });

  it.each([
    [
      'mongodb://u:p@a:1,b:2/lightbox?tls=true',
      'mongodb://u:p@a:1,b:2/?tls=true&authSource=lightbox&tlsCAFile=%2Fca.pem',
    ],
    ['mongodb://u:p@a/lightbox?authSource=admin', 'mongodb://u:p@a/?authSource=admin'],
    ['mongodb+srv://a.example/lightbox', 'mongodb+srv://a.example/?tlsCAFile=%2Fca.pem'],
    ['mongodb://127.0.0.1:27017/lightbox?replicaSet=rs0', 'mongodb://127.0.0.1:27017/?replicaSet=rs0'],
  ])('reads the whole server of %s', (uri, expected) => expect(serverUri(uri, '/ca.pem')).toBe(expected));
});

it('A restore leaves no session, no code and no device that is notified.', async () => {
  const { Session, Code, Ceremony, PushSubscription } = core.models;
  const kinds = [Session, Code, Ceremony, PushSubscription];
  for (const { collection } of kinds)
    await collection.insertOne({ _id: newId(), endpoint: 'https://push.test/1' } as never);
  const from = folder();
  writeFileSync(join(from, 'mongodb.archive'), '');
  const files = [{ name: 'mongodb.archive', bytes: 0, sha256: createHash('sha256').digest('hex') }];
  const manifest = { at: new Date().toISOString(), encrypted: false, stores: [], files } as never;
  const tools = { mongorestore: standIn('mongorestore', 'cat > /dev/null') };
  const restored = await restoreBackup(config, { manifest, tools, slices: [] }, { from, identity: null, signal });
  const left = await Promise.all(
    kinds.map(({ modelName }) => restored.models[modelName as 'Session'].countDocuments()),
  );
  await restored.close();
  expect(left).toEqual([0, 0, 0, 0]);
});

it('A recording and a drawn frame that came and went in a place outside MongoDB during the backup are no fault.', async () => {
  const startedAt = new Date(Date.now() - 60_000).toISOString();
  const gone = () => ({ _id: newId(), blob: newId(), size: 10 });
  await core.models.Voice.collection.insertOne(gone() as never);
  await core.models.Drawing.collection.insertOne({ _id: newId(), plain: gone() } as never);
  const manifest = { head: null, startedAt } as Manifest;
  expect(await verifyRestored(core, manifest)).toMatchObject({ removedMeanwhile: 2, lacking: 0 });
  const later = { ...manifest, startedAt: new Date(Date.now() + 60_000).toISOString() };
  expect(await verifyRestored(core, later)).toMatchObject({ removedMeanwhile: 0, lacking: 2 });
  const { dir: _, ...blobs } = config.blobs;
  const within = { ...core, blobs: openBlobStores(core.db, { blobs: { ...blobs, dir: null } }, core.elections) };
  expect(await verifyRestored(within, manifest), 'in the database alone').toMatchObject({ lacking: 2 });
  await Promise.all([core.models.Voice.deleteMany({}), core.models.Drawing.deleteMany({})]);
});

it('A restore of a moment at which the self-check had planted its image is whole.', async () => {
  const planted = await plant(core);
  const manifest = { head: null, startedAt: new Date().toISOString() } as Manifest;
  expect(await verifyRestored(core, manifest)).toMatchObject({ whole: true, lacking: 0, different: 0 });
  await uproot(core, planted);
});

const second = (t: number) => new Date(t * 1000);
const between = { startedAt: second(100).toISOString(), at: second(105).toISOString() };

function slice(
  dir: string,
  from: number,
  to: number,
  { content = 'entry', ...more }: { content?: string; keyIds?: object } = {},
): void {
  const own = join(dir, `lightbox-oplog-${from}`);
  mkdirSync(own);
  writeFileSync(join(own, 'oplog.bson'), content);
  const sha256 = createHash('sha256').update('entry').digest('hex');
  const file = { name: 'oplog.bson', bytes: 5, sha256 };
  const moments = { from: { t: from, i: 0 }, to: { t: to, i: 0 } };
  writeFileSync(join(own, 'slice.json'), JSON.stringify({ format: 1, ...moments, encrypted: false, file, ...more }));
}

describe('slices of the oplog', () => {
  const manifest = between as Manifest;

  it('lead from the backup to a time, in their order', async () => {
    const dir = folder();
    slice(dir, 200, 300);
    slice(dir, 98, 200);
    slice(dir, 10, 98);
    const chosen = async (until: number) => (await slicesUntil(dir, manifest, second(until))).map(({ from }) => from.t);
    expect(await chosen(150)).toEqual([98]);
    expect(await chosen(300)).toEqual([98, 200]);
  });

  it.each<[string, (dir: string) => void, number, RegExp]>([
    ['one is absent', (dir) => [slice(dir, 98, 150), slice(dir, 200, 300)], 250, /without a gap/],
    ['they begin after the backup', (dir) => slice(dir, 102, 300), 250, /without a gap/],
    ['they end before the time', (dir) => slice(dir, 98, 200), 250, /without a gap/],
    ['there is none', () => undefined, 250, /no moment after the backup/],
    ['the backup is later', (dir) => slice(dir, 98, 300), 104, /choose an older backup/],
    ['one was changed', (dir) => slice(dir, 98, 300, { content: 'other' }), 250, /changed or is damaged/],
    ['one is not whole', (dir) => mkdirSync(join(dir, 'lightbox-oplog-1')), 250, /no whole slice/],
  ])('are refused when %s', async (_, plant, until, says) => {
    const dir = folder();
    plant(dir);
    await expect(slicesUntil(dir, manifest, second(until))).rejects.toThrow(says);
  });

  it('name the keys that the records need when they are made', async () => {
    const to = folder();
    const base = join(to, 'lightbox-2026-11-23T01-00-00-000Z');
    mkdirSync(base);
    await writeManifest(base, { ...whole(), startedAt: core.clock.now().toISOString() });
    await core.models.Totp.collection.insertOne({ _id: newId() as never, secret: 'e-of-2030.sealed' });
    const { folder: own } = await makeSlice(core, { mongodump: standIn('mongodump', 'echo entry') }, { to, signal });
    const { keyIds } = JSON.parse(readFileSync(join(own, 'slice.json'), 'utf8'));
    expect(keyIds).toEqual(await neededKeys(core.models));
    expect(keyIds.totp).toEqual(['e-of-2030']);
    await core.models.Totp.deleteMany({});
  });

  it.each([
    [200, 1],
    [201, 0],
  ])('of an oplog that begins at %i when they were read, and at 150 before: %i made', async (begins, made) => {
    const dir = folder();
    slice(dir, 98, 200);
    const last = { t: 300, i: 0 };
    const reaches = [150, begins].map((t) => ({ first: { t, i: 0 }, last }));
    const readReach = async () => reaches.shift() ?? { first: last, last };
    const tools = { mongodump: standIn('mongodump', 'echo entries') };
    const plain = { config: { ...config, backup: { ...config.backup, recipient: null } } };
    const making = makeSlice(plain, tools, { to: dir, signal, readReach });
    if (made) await making;
    else await expect(making).rejects.toThrow(/begins at 1970-01-01T00:03:21.000Z, after the last slice/);
    expect(readdirSync(dir)).toHaveLength(1 + made);
  });
});

describe('a restore is refused, and nothing is written', () => {
  interface Row {
    change?: (manifest: Manifest) => object;
    name?: string;
    content?: Buffer;
    identity?: string;
    slices?: (dir: string) => void;
  }
  it.each<[why: string, row: Row, says: RegExp]>([
    ['its making was cut short', { name: 'lightbox-x.part' }, /not a whole backup/],
    ['a file was changed', { content: Buffer.from('an Archive') }, /changed or is damaged/],
    ['a file is shorter', { content: content.subarray(1) }, /changed or is damaged/],
    [
      'a key is absent',
      { change: () => ({ keyIds: { images: ['k-of-2020'] } }) },
      /ENCRYPTION_KEYS must hold k-of-2020/,
    ],
    [
      'a key is absent that came after the backup',
      { change: () => between, slices: (dir) => slice(dir, 98, 300, { keyIds: { images: ['k-of-2030'] } }) },
      /ENCRYPTION_KEYS must hold k-of-2030/,
    ],
    [
      'the target has records, and the slices are of an earlier version',
      { change: () => between, slices: (dir) => slice(dir, 98, 300) },
      /The target has records already/,
    ],
    ['a place is absent', { change: () => ({ stores: ['s3'] }) }, /blobs of the place s3/],
    ['it is encrypted, and no identity is named', { change: () => ({ encrypted: true }) }, /--identity FILE/],
    [
      'the identity is absent',
      { change: () => ({ encrypted: true }), identity: '/nowhere' },
      /cannot be read: \/nowhere/,
    ],
    ['the target has another name', { change: () => ({ database: 'clinic' }) }, /of the database "clinic"/],
    ['the target has records', {}, /The target has records already .+ drop its databases first/],
  ])('when %s', async (_, row, says) => {
    const from = join(folder(), row.name ?? 'lightbox-x');
    mkdirSync(from);
    const manifest = { ...whole(), ...row.change?.(whole()) } as Manifest;
    await writeManifest(from, manifest);
    writeFileSync(join(from, 'mongodb.archive'), row.content ?? content);
    vi.stubEnv('PATH', `${join(standIn('mongorestore', 'exit 9'), '..')}:${join(standIn('age', 'exit 9'), '..')}`);
    await core.models.Counter.collection.insertOne({ _id: newId() as never });
    const before = await core.models.Counter.collection.countDocuments();
    row.slices?.(join(from, '..'));
    const upTo = row.slices ? { until: second(250), oplog: join(from, '..') } : {};
    await expect(checkBeforeRestore(config, { from, identity: row.identity ?? null, ...upTo })).rejects.toThrow(says);
    expect(await core.models.Counter.collection.countDocuments()).toBe(before);
  });

  it.each([
    ['there is no manifest', undefined],
    ['the manifest is no JSON', 'not JSON'],
    ['the manifest is of a later version', JSON.stringify({ format: 2 })],
  ])('when %s', async (_, text) => {
    const from = folder();
    if (text) writeFileSync(join(from, 'manifest.json'), text);
    await expect(
      checkBeforeRestore({ ...config, encryptionKeys: makeKeys() }, { from, identity: null }),
    ).rejects.toThrow(/has no manifest.json|cannot be read/);
  });
});

describe('the self-check', () => {
  const failed = (name: CheckName, fault: CheckFault) => ({ name, state: 'failed' as const, fault, saw: [] });

  it('after a restore does not count an old backup, an absent receiver and an address that does not answer', () => {
    const checks = [
      failed('backup', 'oldBackup'),
      failed('receiver', 'receiverAway'),
      failed('tls', 'unreachable'),
      failed('tls', 'certificateEnds'),
      failed('mail', 'unreachable'),
      { name: 'keys' as const, state: 'ok' as const, saw: [] },
    ];
    expect(faultsOf({ checks }, true)).toEqual([failed('tls', 'certificateEnds'), failed('mail', 'unreachable')]);
    expect(faultsOf({ checks }, false)).toHaveLength(5);
  });
});

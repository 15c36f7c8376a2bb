import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { mongo } from 'mongoose';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { Core } from '../core.js';
import { connectDatabase } from '../db/connect.js';
import { neededKeys } from '../keys/usage.js';
import { createModels } from '../models/models.js';
import { Refused } from '../process/refused.js';
import { syncFolder } from '../process/syncFolder.js';
import { checkFiles, fileSchema, keyIdsSchema, type Manifest, PART, readManifest } from './manifest.js';
import { readSealed, writeSealed } from './sealedFile.js';
import { serverUri, startTool, type Tools, withAddress } from './tools.js';

/**
 * Slices of MongoDB's oplog, each from the end of the one before. With a backup and the slices after it, a restore reaches
 * any second between them.
 */
const SLICE = 'slice.json';
const NAME = /^lightbox-oplog-\d/;
const BACKUP_NAME = /^lightbox-\d.*Z$/;
/** The first slice after a backup begins this much earlier: applying an entry again changes nothing. */
const EARLIER_SECONDS = 2;

/** A moment of the oplog: seconds, and a number within one second. */
const Moment = z.strictObject({ t: z.int().nonnegative(), i: z.int().nonnegative() });
type Moment = z.output<typeof Moment>;

const Slice = z.strictObject({
  format: z.literal(1),
  /** Entries after this moment … */
  from: Moment,
  /** … up to this one, which a majority had. */
  to: Moment,
  encrypted: z.boolean(),
  /** The ids of the keys that the records needed when the slice was made, by ring. Absent in slices of earlier versions. */
  keyIds: keyIdsSchema.optional(),
  file: fileSchema,
});
type Slice = z.output<typeof Slice> & { folder: string };

const isBefore = (a: Moment, b: Moment): boolean => a.t < b.t || (a.t === b.t && a.i < b.i);
const timeOf = ({ t }: Moment): string => new Date(t * 1000).toISOString();

/** Returns the slices of a folder, oldest first. */
async function readSlices(dir: string): Promise<Slice[]> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => NAME.test(name) && !name.endsWith(PART));
  const slices: Slice[] = [];
  for (const name of names) {
    const folder = join(dir, name);
    const read = Slice.safeParse(
      await readFile(join(folder, SLICE), 'utf8').then(
        (text) => JSON.parse(text),
        () => null,
      ),
    );
    if (!read.success) throw new Refused(`${folder} is no whole slice of the oplog.`);
    slices.push({ ...read.data, folder });
  }
  return slices.sort((a, b) => (isBefore(a.from, b.from) ? -1 : 1));
}

async function newestBackup(dir: string): Promise<Manifest | null> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => BACKUP_NAME.test(name)).sort();
  const last = names.at(-1);
  return last ? readManifest(join(dir, last)) : null;
}

const momentOf = (stamp: mongo.Timestamp): Moment => ({
  t: stamp.getHighBitsUnsigned(),
  i: stamp.getLowBitsUnsigned(),
});

interface Reach {
  first: Moment;
  last: Moment;
}

/** Reads the oldest entry of the oplog, and the newest that a majority has. */
async function reachOf(uri: string): Promise<Reach> {
  const client = await mongo.MongoClient.connect(uri);
  try {
    const oldest = await client
      .db('local')
      .collection('oplog.rs')
      .findOne({}, { sort: { $natural: 1 } });
    const { lastWrite } = await client.db('admin').command({ hello: 1 });
    return { first: momentOf(oldest?.ts), last: momentOf(lastWrite.majorityOpTime.ts) };
  } finally {
    await client.close();
  }
}

async function keyIdsNow(config: Config): Promise<Manifest['keyIds']> {
  const db = await connectDatabase(config);
  try {
    return await neededKeys(createModels(db));
  } finally {
    await db.close();
  }
}

interface Options {
  to: string;
  signal: AbortSignal;
  readReach?: (uri: string) => Promise<Reach>;
}

const tooLate = ({ first }: Reach): Refused =>
  new Refused(
    `The oplog begins at ${timeOf(first)}, after the last slice. Make a backup now, make slices more often, and enlarge the oplog.`,
  );

/** Writes the entries of the oplog since the last slice, or since the newest backup, into a new folder of `to`. */
export async function makeSlice(
  { config }: Pick<Core, 'config'>,
  tools: Tools,
  { to, signal, readReach = reachOf }: Options,
): Promise<{ folder: string; from: string; to: string }> {
  const { backup, mongodbUri } = config;
  const { recipient } = backup;
  const server = serverUri(backup.mongodbUri ?? mongodbUri);
  const dir = resolve(to);
  const [last, base, reach] = [(await readSlices(dir)).at(-1), await newestBackup(dir), await readReach(server)];
  const begins = [
    ...(last ? [last.to] : []),
    ...(base ? [{ t: Math.floor(Date.parse(base.startedAt) / 1000) - EARLIER_SECONDS, i: 0 }] : []),
  ];
  if (begins.length === 0) throw new Refused(`${dir} has no backup yet: slices of the oplog follow one.`);
  const from = begins.find((moment) => !isBefore(moment, reach.first));
  if (!from) throw tooLate(reach);
  // After the end of the slice is known, so that a key which its last entries use is among them.
  const keyIds = await keyIdsNow(config);
  const folder = join(dir, `lightbox-oplog-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  const part = `${folder}${PART}`;
  await mkdir(part, { mode: 0o700 });
  try {
    const query = JSON.stringify({ ts: { $gt: { $timestamp: from }, $lte: { $timestamp: reach.last } } });
    const file = await withAddress(server, (address) => {
      const args = [address, '--db=local', '--collection=oplog.rs', `--query=${query}`, '--out=-'];
      const name = `oplog.bson${recipient ? '.age' : ''}`;
      return writeSealed(join(part, name), startTool(tools, 'mongodump', args, signal), { recipient, tools, signal });
    });
    // MongoDB removes the oldest entries all the time, also while they are read.
    const after = await readReach(server);
    if (isBefore(from, after.first)) throw tooLate(after);
    await checkFiles(part, [file]);
    const slice = Slice.parse({ format: 1, from, to: reach.last, encrypted: recipient !== null, keyIds, file });
    await writeFile(join(part, SLICE), `${JSON.stringify(slice, null, 2)}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await syncFolder(part);
    signal.throwIfAborted();
    await rename(part, folder);
    await syncFolder(dir);
    return { folder, from: timeOf(from), to: timeOf(reach.last) };
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the slices that lead from a backup to a time, each with the hash of its file checked. */
export async function slicesUntil(dir: string, { startedAt, endedAt, at }: Manifest, until: Date): Promise<Slice[]> {
  if (until < new Date(endedAt ?? at))
    throw new Refused(`The backup shows a later moment than ${until.toISOString()}: choose an older backup.`);
  const begin: Moment = { t: Math.floor(Date.parse(startedAt) / 1000), i: 0 };
  const end: Moment = { t: Math.floor(until.getTime() / 1000), i: 0 };
  const chosen: Slice[] = [];
  let reached: Moment | null = null;
  for (const slice of await readSlices(dir)) {
    if (!isBefore(begin, slice.to) || !isBefore(slice.from, end)) continue;
    if (isBefore(reached ?? begin, slice.from)) break;
    chosen.push(slice);
    reached = slice.to;
  }
  if (!reached || isBefore(reached, end))
    throw new Refused(
      `The slices of the oplog in ${dir} reach ${reached ? timeOf(reached) : 'no moment after the backup'} without a gap, and not ${until.toISOString()}.`,
    );
  for (const { folder, file } of chosen) await checkFiles(folder, [file]);
  return chosen;
}

interface Applying {
  tools: Tools;
  identity: string | null;
  signal: AbortSignal;
}

/**
 * Applies slices to a restored MongoDB, up to the beginning of the second of `until`. The first slices begin before the end of
 * the backup. So they bring records back that the backup no longer has, until they delete them again, and a later record
 * may have the same unique value: the unique indexes are absent meanwhile.
 */
export async function applySlices(
  mongodbUri: string,
  slices: readonly Slice[],
  until: Date,
  applying: Applying,
): Promise<void> {
  const client = await mongo.MongoClient.connect(mongodbUri);
  try {
    const unique: { collection: mongo.Collection; index: mongo.IndexDescriptionInfo }[] = [];
    for (const collection of await client.db().collections()) {
      for (const index of await collection.indexes()) if (index.unique) unique.push({ collection, index });
    }
    for (const { collection, index } of unique) if (index.name) await collection.dropIndex(index.name);
    await replay(mongodbUri, slices, until, applying);
    for (const { collection, index } of unique) {
      const { key, v: _version, ...options } = index;
      await collection.createIndex(key, options);
    }
  } finally {
    await client.close();
  }
}

async function replay(
  mongodbUri: string,
  slices: readonly Slice[],
  until: Date,
  { tools, identity, signal }: Applying,
): Promise<void> {
  const limit = `--oplogLimit=${Math.floor(until.getTime() / 1000)}:0`;
  for (const { folder, file, encrypted } of slices) {
    await withAddress(serverUri(mongodbUri), async (address) => {
      // mongorestore reads no pipe here, and wants a folder of a dump too. Both go with the folder of the address.
      const own = dirname(address.slice('--config='.length));
      const [plain, empty] = [join(own, 'oplog.bson'), join(own, 'empty')];
      await mkdir(empty, { recursive: true });
      const written = createWriteStream(plain, { mode: 0o600 });
      await readSealed(
        join(folder, file.name),
        { input: written, ended: finished(written) },
        { identity: encrypted ? identity : null, tools, signal },
      );
      const args = [address, '--oplogReplay', `--oplogFile=${plain}`, limit, '--stopOnError', empty];
      const restore = startTool(tools, 'mongorestore', args, signal);
      restore.output.resume();
      await restore.ended;
    });
  }
}

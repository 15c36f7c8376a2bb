import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readHead } from '../audit/head.js';
import type { Core } from '../core.js';
import { majorityHasAll } from '../db/majority.js';
import { neededKeys } from '../keys/usage.js';
import { Refused } from '../process/refused.js';
import { syncFolder } from '../process/syncFolder.js';
import { productVersion } from '../selfCheck/checks.js';
import { BlobArchive, placesOutside } from './blobArchive.js';
import { type BackupFile, checkFiles, type Manifest, PART, writeManifest } from './manifest.js';
import { writeSealed } from './sealedFile.js';
import { allOf, findTools, serverUri, startTool, type Tools, withAddress } from './tools.js';

interface Options {
  to: string;
  /** Ends the backup; nothing of it stays. */
  signal: AbortSignal;
  say?: (line: string) => void;
}

interface Making {
  core: Core;
  folder: string;
  tools: Tools;
  signal: AbortSignal;
}

/** Finds the programs that a backup needs. Throws when one is missing. */
export const backupTools = ({ config }: Pick<Core, 'config'>): Promise<Tools> =>
  findTools(['mongodump', ...(config.backup.recipient ? (['age'] as const) : [])]);

/**
 * Backs up the whole MongoDB server as it was at one moment, and the blobs outside it, into a new folder of `to`. The
 * folder gets its name when every file is written and read back. Notes the backup for the self-check.
 */
export async function makeBackup(
  core: Core,
  tools: Tools,
  { to, signal: stopped, say = () => undefined }: Options,
): Promise<{ folder: string; manifest: Manifest }> {
  const startedAt = core.clock.now();
  const final = join(resolve(to), `lightbox-${startedAt.toISOString().replaceAll(/[:.]/g, '-')}`);
  const folder = `${final}${PART}`;
  const failed = new AbortController();
  const signal = AbortSignal.any([stopped, failed.signal]);
  const making: Making = { core, folder, tools, signal };
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 });
  try {
    const head = await readHead(core.models, core.keys.audit);
    const outside = placesOutside(core.blobs);
    const { files, at, blobs, chunks } =
      outside.length > 0 ? await withBlobs(making, say) : await database(making, say);
    const manifest: Manifest = {
      format: 1,
      product: productVersion,
      startedAt: startedAt.toISOString(),
      at: (at ?? startedAt).toISOString(),
      endedAt: core.clock.now().toISOString(),
      database: core.db.name,
      head: head?.genuine ? { seq: head.seq, hash: head.hash } : null,
      encrypted: core.config.backup.recipient !== null,
      keyIds: await neededKeys(core.models),
      stores: outside.map(([name]) => name),
      blobs,
      chunks,
      files,
    };
    say('Reading the files back …');
    await checkFiles(folder, files);
    await writeManifest(folder, manifest);
    await syncFolder(folder);
    signal.throwIfAborted();
    await rename(folder, final);
    await syncFolder(dirname(final));
    await core.models.Operation.updateOne({ _id: 'backup' }, { $set: { at: manifest.at } }, { upsert: true });
    return { folder: final, manifest };
  } catch (error) {
    failed.abort();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

interface Made {
  files: BackupFile[];
  at: Date | null;
  blobs: number;
  chunks: number;
}

/** `mongodump` says so when it has read a collection. It notes the end of its changes after the last of these lines. */
const READ = /^(\d{4}-\d\d-\d\dT[\d:.]+)([+-]\d\d):?(\d\d)\s+done dumping /;

/** Returns the id of the election that the primary has won. */
const electionOf = async ({ db }: Core): Promise<string> =>
  String((await db.getClient().db('admin').command({ hello: 1 })).electionId);

/**
 * Dumps the server. `at`: no later than the moment that the dump shows; null when the program did not say it. `mongodump` reads
 * what the primary has, also what no majority has yet. A new primary may undo that: then the dump is refused.
 */
async function database({ core, folder, tools, signal }: Making, say: (line: string) => void): Promise<Made> {
  const { backup, mongodbUri } = core.config;
  const primary = await electionOf(core);
  let at: Date | null = null;
  say('Reading the database …');
  const file = await withAddress(serverUri(backup.mongodbUri ?? mongodbUri), (address) => {
    const dump = startTool(tools, 'mongodump', [address, '--oplog', '--archive'], signal, (line) => {
      const [, time, hours, minutes] = READ.exec(line) ?? [];
      if (time) at = new Date(`${time}${hours}:${minutes}`);
    });
    const name = `mongodb.archive${backup.recipient ? '.age' : ''}`;
    return writeSealed(join(folder, name), dump, { recipient: backup.recipient, tools, signal });
  });
  await majorityHasAll(core.db);
  if ((await electionOf(core)) !== primary)
    throw new Refused(
      'MongoDB elected another primary while it was read, so the backup could hold what was undone. Make it again.',
    );
  const ahead = core.clock.now().getTime() - Date.now();
  const read = at as Date | null;
  return { files: [file], at: read && new Date(read.getTime() + ahead), blobs: 0, chunks: 0 };
}

/**
 * Copies the blobs outside MongoDB before the dump, and those that came meanwhile after it. So the bytes of an image that
 * the dump shows are there, also if it is deleted during the backup.
 */
async function withBlobs(making: Making, say: (line: string) => void): Promise<Made> {
  const { core, folder, tools, signal } = making;
  const { recipient } = core.config.backup;
  const archive = new BlobArchive();
  const add = async () => {
    say('Copying the blobs outside the database …');
    for (const [name, store] of placesOutside(core.blobs)) await archive.add(name, store, signal);
  };
  const work = async () => {
    await add();
    const made = await database(making, say);
    await add();
    archive.end();
    return made;
  };
  const working = work().catch((error) => {
    archive.destroy(error);
    throw error;
  });
  const writing = writeSealed(
    join(folder, `blobs.tar${recipient ? '.age' : ''}`),
    { output: archive.output, ended: working.then(() => undefined) },
    { recipient, tools, signal },
  );
  await allOf([writing, working]);
  const made = await working;
  const { blobs, chunks } = archive;
  return { ...made, files: [...made.files, await writing], blobs, chunks };
}

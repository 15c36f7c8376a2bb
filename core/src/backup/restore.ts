import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { type Core, createCore } from '../core.js';
import { connectDatabase } from '../db/connect.js';
import { createKeys } from '../keys/keyring.js';
import { lackingKeys } from '../keys/usage.js';
import { Refused } from '../process/refused.js';
import { unpackBlobs } from './blobArchive.js';
import { checkFiles, type Manifest, readManifest } from './manifest.js';
import { applySlices, slicesUntil } from './oplog.js';
import { readSealed } from './sealedFile.js';
import { findTools, serverUri, startTool, type Tools, withAddress } from './tools.js';

interface Options {
  from: string;
  /** The file with the private key of age; null: none was named. */
  identity: string | null;
  /** The time up to which slices of the oplog are applied; absent: the moment of the backup. */
  until?: Date | null;
  signal: AbortSignal;
  say?: (line: string) => void;
}

interface Checked {
  manifest: Manifest;
  tools: Tools;
  slices: Awaited<ReturnType<typeof slicesUntil>>;
}

/** Databases of MongoDB itself. */
const OWN = ['admin', 'config', 'local'];

/** Checks all that can be checked before the first write. `config` names the target, `oplog` the folder of the slices. */
export async function checkBeforeRestore(
  config: Config,
  { from, identity, until, oplog }: Pick<Options, 'from' | 'identity' | 'until'> & { oplog?: string },
): Promise<Checked> {
  const manifest = await readManifest(from);
  if (manifest.encrypted && !identity)
    throw new Refused('The backup is encrypted. Name the file with the private key of age: --identity FILE.');
  if (identity) {
    await access(identity).catch(() => {
      throw new Refused(`The file with the private key of age cannot be read: ${identity}`);
    });
  }
  const tools = await findTools(['mongorestore', ...(manifest.encrypted ? (['age'] as const) : [])]);
  refuseLackingKeys(manifest.keyIds, config);
  const places = { gridfs: true, file: config.blobs.dir !== null, s3: config.blobs.s3 !== null };
  const absent = manifest.stores.filter((name) => !places[name]);
  if (absent.length > 0)
    throw new Refused(
      `The backup has blobs of the place ${absent.join(' and ')}. Give its settings first (BLOB_DIR, S3_…).`,
    );
  await checkFiles(from, manifest.files);
  const slices = until && oplog ? await slicesUntil(oplog, manifest, until) : [];
  for (const { keyIds } of slices) refuseLackingKeys(keyIds ?? {}, config);
  // The last look before the first write.
  await refuseTarget(config, manifest);
  return { manifest, tools, slices };
}

function refuseLackingKeys(needed: Manifest['keyIds'], config: Config): void {
  const lacking = lackingKeys(needed, createKeys(config));
  if (lacking.length === 0) return;
  const lines = lacking.map(({ variable, ids }) => `  ${variable} must hold ${ids.join(', ')}`);
  throw new Refused(`The records of the backup need keys that are not here:\n${lines.join('\n')}`);
}

/** Throws when the target has records, or another name for the database. */
async function refuseTarget(config: Config, { database }: Manifest): Promise<void> {
  const db = await connectDatabase(config);
  try {
    if (db.name !== database)
      throw new Refused(
        `The backup is of the database "${database}": name it in the address of the target instead of "${db.name}".`,
      );
    const client = db.getClient();
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    for (const { name } of databases.filter((one) => !OWN.includes(one.name))) {
      for (const { collectionName } of await client.db(name).collections()) {
        if (
          !(await client
            .db(name)
            .collection(collectionName)
            .findOne({}, { projection: { _id: 1 } }))
        )
          continue;
        throw new Refused(
          `The target has records already (${name}.${collectionName}). A restore needs an empty MongoDB: drop its databases ` +
            'first, also after a restore that was interrupted. Nothing was written.',
        );
      }
    }
  } finally {
    await db.close();
  }
}

/** Writes a backup into the target. Returns the core of the restored product, which the caller closes. */
export async function restoreBackup(
  config: Config,
  { manifest, tools, slices }: Checked,
  { from, identity, until, signal, say = () => undefined }: Options,
): Promise<Core> {
  say('Restoring the database …');
  const key = manifest.encrypted ? identity : null;
  await withAddress(serverUri(config.mongodbUri), (address) => {
    const restore = startTool(tools, 'mongorestore', [address, '--oplogReplay', '--archive', '--stopOnError'], signal);
    restore.output.resume();
    return readSealed(fileOf(from, manifest, 'mongodb'), restore, { identity: key, tools, signal });
  });
  if (until) {
    say('Applying the changes after the backup …');
    await applySlices(config.mongodbUri, slices, until, { tools, identity, signal });
  }
  // Not before: it may change what an older version left.
  const core = await createCore(config, 'restore');
  try {
    if (manifest.stores.length > 0) {
      say('Restoring the blobs outside the database …');
      const { input, ended, unpacked } = unpackBlobs(core.blobs);
      await readSealed(fileOf(from, manifest, 'blobs'), { input, ended }, { identity: key, tools, signal });
      if (unpacked.chunks !== manifest.chunks)
        throw new Refused(`The backup holds ${manifest.chunks} chunks of blobs, and ${unpacked.chunks} were restored.`);
    }
    // People who signed out since the backup would be signed in again, and their devices would be notified.
    const { Session, Code, Ceremony, PushSubscription } = core.models;
    await Promise.all([
      Session.deleteMany({}),
      Code.deleteMany({}),
      Ceremony.deleteMany({}),
      PushSubscription.deleteMany({}),
    ]);
    await core.models.Operation.updateOne({ _id: 'backup' }, { $set: { at: manifest.at } }, { upsert: true });
    return core;
  } catch (error) {
    await core.close();
    throw error;
  }
}

function fileOf(from: string, { files }: Manifest, begin: 'mongodb' | 'blobs'): string {
  const file = files.find(({ name }) => name.startsWith(`${begin}.`));
  if (!file) throw new Refused(`The manifest names no file ${begin}.`);
  return join(from, file.name);
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { storeNames } from '../blobs/names.js';
import { isSame } from '../keys/isSame.js';
import { Refused } from '../process/refused.js';

const MANIFEST = 'manifest.json';
/** The end of the name of a backup that is not whole yet. */
export const PART = '.part';

export const fileSchema = z.strictObject({
  name: z.string().regex(/^[a-z]+\.(archive|tar|bson)(\.age)?$/),
  bytes: z.int().nonnegative(),
  /** Of the file as it is stored, encrypted or not. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupFile = z.output<typeof fileSchema>;

/** The ids of the keys that records need, by ring. */
export const keyIdsSchema = z.record(z.string(), z.array(z.string()));

/** The contents of a backup. It names no person and holds no key. */
const Manifest = z.strictObject({
  format: z.literal(1),
  /** The version of the product that made the backup. */
  product: z.string(),
  startedAt: z.iso.datetime(),
  /** By MongoDB's clock: everything that was acknowledged before this time is in the backup. */
  at: z.iso.datetime(),
  /** It shows no later moment than this. Absent in backups of earlier versions. */
  endedAt: z.iso.datetime().optional(),
  /** The name of the product's database. A restore keeps it. */
  database: z.string().min(1),
  /** The newest entry of the audit log when the backup began; null for an empty log. */
  head: z.strictObject({ seq: z.int().positive(), hash: z.string() }).nullable(),
  encrypted: z.boolean(),
  keyIds: keyIdsSchema,
  /** The places outside MongoDB whose blobs are in `blobs`. */
  stores: z.array(z.enum(storeNames)),
  blobs: z.int().nonnegative(),
  chunks: z.int().nonnegative(),
  files: z.array(fileSchema).min(1),
});
export type Manifest = z.output<typeof Manifest>;

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const file = await open(join(folder, MANIFEST), 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(Manifest.parse(manifest), null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function readManifest(folder: string): Promise<Manifest> {
  if (folder.replace(/\/+$/, '').endsWith(PART))
    throw new Refused(`${folder} is not a whole backup: its making was cut short.`);
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new Refused(`${folder} is not a backup: it has no ${MANIFEST}. Name the folder lightbox-… of one backup.`);
  });
  const read = Manifest.safeParse(jsonOf(text));
  if (!read.success)
    throw new Refused(`${join(folder, MANIFEST)} cannot be read, or is from a later version of Lightbox.`);
  return read.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads every file of a backup, and throws when one differs from the manifest. */
export async function checkFiles(folder: string, files: readonly BackupFile[]): Promise<void> {
  for (const { name, bytes, sha256 } of files) {
    const hash = createHash('sha256');
    let length = 0;
    try {
      await pipeline(createReadStream(join(folder, name)), async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) {
          hash.update(part);
          length += part.length;
        }
      });
    } catch {
      throw new Refused(`${name} of the backup cannot be read.`);
    }
    if (length !== bytes || !isSame(hash.digest('hex'), sha256)) {
      throw new Refused(`${name} of the backup was changed or is damaged: its SHA-256 is not that of the manifest.`);
    }
  }
}

import { createHash } from 'node:crypto';
import { verifyAudit } from '../audit/verify.js';
import { unwrapDataKey } from '../blobs/cipher.js';
import { chunksOf, MissingChunk } from '../blobs/store.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import { IntegrityError } from '../errors.js';
import { isSame } from '../keys/isSame.js';
import type { ImageDoc } from '../models/image.js';
import { notPlanted } from '../selfCheck/planted.js';
import { placesOutside } from './blobArchive.js';
import type { Manifest } from './manifest.js';

/** Images that are opened and hashed: the newest, and as many of the others. */
const OPENED = 25;
const AT_ONCE = 8;

export interface Restored {
  /** True when nothing is missing. */
  whole: boolean;
  entries: number;
  /** The entry at which the audit log is broken. */
  brokenAt: number | null;
  blobs: number;
  /** Blobs with a record whose chunks are not all there. */
  lacking: number;
  /** Blobs outside MongoDB that came and went while the backup was made: their images had been deleted. */
  removedMeanwhile: number;
  opened: number;
  /** Opened images whose bytes are not those that were stored. */
  different: number;
}

/**
 * Compares a restored product with its manifest: the audit log, the chunks of every blob, and the bytes of some images. The
 * image that a self-check had planted at the moment of the backup has no bytes, and is left out.
 */
export async function verifyRestored(core: Core, { head, startedAt }: Manifest): Promise<Restored> {
  const { models, keys } = core;
  const { ok, checked, firstBroken } = await verifyAudit(models, keys.audit, { noted: head ? [head] : [] });
  const [blobs, lacking, removedMeanwhile] = await countBlobs(core, new Date(startedAt));
  const [opened, different] = await openSome(core);
  const whole = ok && lacking === 0 && different === 0;
  return {
    whole,
    entries: checked,
    brokenAt: firstBroken ?? null,
    blobs,
    lacking,
    removedMeanwhile,
    opened,
    different,
  };
}

interface Blob {
  blob: ObjectId;
  size: number;
  store?: string | undefined;
}

async function* everyBlob({ models }: Core): AsyncGenerator<Blob> {
  const fields = { blob: 1, size: 1, store: 1 };
  // Images of older versions, which are in GridFS, do not say so.
  const images = models.Image.find(notPlanted, fields).lean<Blob[]>().cursor() as AsyncIterable<Blob>;
  for await (const { blob, size, store = 'gridfs' } of images) yield { blob, size, store };
  yield* models.Voice.find({}, fields).lean<Blob[]>().cursor() as AsyncIterable<Blob>;
  const drawings = models.Drawing.find({ 'plain.blob': { $exists: true } }, { plain: 1 })
    .lean()
    .cursor();
  for await (const { plain } of drawings) if (plain) yield { blob: plain.blob, size: plain.size };
}

async function countBlobs(core: Core, startedAt: Date): Promise<[blobs: number, lacking: number, meanwhile: number]> {
  let [blobs, lacking, meanwhile] = [0, 0, 0];
  // Recordings and drawn frames do not say where they are: in the database only if the product has no other place.
  const elsewhere = placesOutside(core.blobs).length > 0;
  const count = async ({ blob, size, store }: Blob) => {
    blobs++;
    if ((await core.blobs.countChunks(blob)) >= chunksOf(size)) return;
    const isOutside = store === undefined ? elsewhere : store !== 'gridfs';
    if (isOutside && blob.getTimestamp() >= startedAt) meanwhile++;
    else lacking++;
  };
  let together: Blob[] = [];
  for await (const blob of everyBlob(core)) {
    together.push(blob);
    if (together.length < AT_ONCE) continue;
    await Promise.all(together.map(count));
    together = [];
  }
  await Promise.all(together.map(count));
  return [blobs, lacking, meanwhile];
}

/** Opens images with their keys, and compares their bytes with the hash of their records. */
async function openSome(core: Core): Promise<[opened: number, different: number]> {
  const newest = await core.models.Image.find(notPlanted).sort({ _id: -1 }).limit(OPENED).lean<ImageDoc[]>();
  const others = await core.models.Image.aggregate<ImageDoc>([{ $match: notPlanted }, { $sample: { size: OPENED } }]);
  const images = new Map([...newest, ...others].map((image) => [String(image._id), image]));
  let different = 0;
  for (const [id, image] of images) {
    const hash = createHash('sha256');
    try {
      const key = unwrapDataKey(core.keys.images, id, image.dataKey);
      for await (const part of core.blobs.read(image.blob, key, image.size)) hash.update(part);
      if (!isSame(hash.digest('hex'), image.sha256)) different++;
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      // `countBlobs` has counted a blob without all its chunks.
      if (!(error instanceof MissingChunk)) different++;
    }
  }
  return [images.size, different];
}

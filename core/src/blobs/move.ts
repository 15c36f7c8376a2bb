import { createHash } from 'node:crypto';
import type { Core } from '../core.js';
import { ObjectId } from '../db/ids.js';
import { majorityHasAll } from '../db/majority.js';
import { IntegrityError } from '../errors.js';
import { isSame } from '../keys/isSame.js';
import { TAG } from './cipher.js';
import type { StoreName } from './names.js';
import type { BlobStore } from './store.js';

const BATCH = 200;
const FIRST = ObjectId.createFromTime(0);
const LAST = new ObjectId('f'.repeat(24));

export interface Moved {
  blobs: number;
  bytes: number;
  /** Blobs without a record: uploads under way, and bytes that maintenance will remove. They stay. */
  left: number;
}

/**
 * Moves all blobs that have a record to one store, while the product runs: each is copied, read back and compared, its
 * image names the new store, and then the old copy goes. Sealed chunks are copied as they are, so no key is needed. It
 * may be interrupted and started again: a blob that is only partly copied is still whole in its old store.
 */
export async function moveBlobs(
  core: Core,
  to: StoreName,
  onMoved: (moved: Moved) => void = () => undefined,
): Promise<Moved> {
  const { blobs } = core;
  const target = blobs.named(to);
  const moved: Moved = { blobs: 0, bytes: 0, left: 0 };
  for (const source of Object.values(blobs.all)) {
    if (source === target) continue;
    for (let after = FIRST; ; ) {
      const ids = await source.between(after, LAST, BATCH);
      const last = ids.at(-1);
      if (!last) break;
      for (const id of ids) {
        if (!(await hasRecord(core, id))) {
          moved.left++;
          continue;
        }
        moved.bytes += await copy(source, target, id);
        // Chunks in GridFS are acknowledged by one member. Only when a majority has them may the old ones go.
        if (to === 'gridfs') await majorityHasAll(core.db);
        await core.models.Image.updateOne({ blob: id }, { $set: { store: to } });
        // Its image may have been deleted meanwhile.
        if (!(await hasRecord(core, id))) await target.delete(id);
        await source.delete(id);
        moved.blobs++;
      }
      after = last;
      onMoved(moved);
    }
  }
  return moved;
}

async function hasRecord({ models }: Core, id: ObjectId): Promise<boolean> {
  const { Image, Voice, Drawing } = models;
  return Boolean(
    (await Image.exists({ blob: id })) ||
      (await Voice.exists({ blob: id })) ||
      (await Drawing.exists({ 'plain.blob': id })),
  );
}

/** Copies a blob and compares the copy with what was read. Returns its sealed bytes. */
async function copy(source: BlobStore, target: BlobStore, id: ObjectId): Promise<number> {
  // An interrupted run may have left a part.
  await target.delete(id);
  const read = createHash('sha256');
  let [chunks, bytes] = [0, 0];
  for await (const sealed of source.readSealed(id)) {
    read.update(sealed);
    await target.writeSealed(id, chunks++, sealed);
    bytes += sealed.length;
  }
  await target.complete(id, bytes - chunks * TAG);
  const stored = createHash('sha256');
  for await (const sealed of target.readSealed(id)) stored.update(sealed);
  if (isSame(read.digest('hex'), stored.digest('hex'))) return bytes;
  await target.delete(id);
  throw new IntegrityError(`Blob ${id} was not copied as it is.`);
}

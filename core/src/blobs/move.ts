import { createHash } from 'node:crypto';
import type { Core } from '../core.js';
import { firstId, isDuplicate, lastId, type ObjectId } from '../db/ids.js';
import { IntegrityError } from '../errors.js';
import { isSame } from '../keys/isSame.js';
import { Refused } from '../process/refused.js';
import { TAG } from './cipher.js';
import type { StoreName } from './names.js';
import { type BlobStore, chunksOf, MissingChunk, type WrittenBlob } from './store.js';

const BATCH = 200;

export interface Moved {
  blobs: number;
  bytes: number;
  /** Blobs without a record: uploads under way, and bytes that maintenance will remove. They stay. */
  left: number;
  /** Blobs that are whole in no store. They stay where they are, and are in the log. */
  damaged: number;
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
  const moved: Moved = { blobs: 0, bytes: 0, left: 0, damaged: 0 };
  for (const source of Object.values(blobs.all)) {
    if (source === target) continue;
    for (let after = firstId; ; ) {
      const ids = await source.between(after, lastId, BATCH);
      const last = ids.at(-1);
      if (!last) break;
      for (const id of ids) {
        const size = await sizeOf(core, id);
        if (size === null) {
          moved.left++;
          continue;
        }
        try {
          moved.bytes += await copy(source, target, id, size);
          await record(core, target, { id, chunks: chunksOf(size), store: to, election: null });
        } catch (error) {
          const deleted = (await sizeOf(core, id)) === null;
          if (!deleted && !(error instanceof MissingChunk)) throw error;
          if (!deleted) {
            core.log.error({ err: error }, 'a blob was not moved');
            moved.damaged++;
            continue;
          }
        }
        // Its image may have been deleted meanwhile.
        if ((await sizeOf(core, id)) === null) await target.delete(id);
        await source.delete(id);
        moved.blobs++;
      }
      after = last;
      onMoved(moved);
    }
  }
  return moved;
}

/** Returns the bytes of a blob by its record; null when it has none. */
async function sizeOf({ models }: Core, id: ObjectId): Promise<number | null> {
  const { Image, Voice, Drawing } = models;
  const of =
    (await Image.findOne({ blob: id }, { size: 1 }).lean()) ?? (await Voice.findOne({ blob: id }, { size: 1 }).lean());
  if (of) return of.size;
  return (await Drawing.findOne({ 'plain.blob': id }, { plain: 1 }).lean())?.plain?.size ?? null;
}

/**
 * Copies the chunks that the target does not have yet, and compares the copy with what was read. Nothing is removed
 * first: the source may hold only the rest of a blob whose removal was interrupted, and another run may be moving it too.
 * Returns the sealed bytes that were read.
 */
async function copy(source: BlobStore, target: BlobStore, id: ObjectId, size: number): Promise<number> {
  const read: string[] = [];
  let bytes = 0;
  for await (const sealed of source.readSealed(id)) {
    await target.writeSealed(id, read.length, sealed).catch(unlessThere);
    read.push(hashOf(sealed));
    bytes += sealed.length;
  }
  let [stored, chunks] = [0, 0];
  for await (const sealed of target.readSealed(id)) {
    const original = read[chunks++];
    stored += sealed.length;
    if (original === undefined || isSame(original, hashOf(sealed))) continue;
    // The next run copies it anew.
    if (read.length === chunksOf(size)) await target.delete(id);
    throw new IntegrityError(`Blob ${id} was not copied as it is.`);
  }
  if (stored !== size + chunksOf(size) * TAG) throw new MissingChunk(`Blob ${id} is whole in neither store.`);
  await target.complete(id, size).catch(unlessThere);
  return bytes;
}

/**
 * Names the new store in the image. Chunks in GridFS are acknowledged by one member, and an election may have taken them
 * back since they were compared. So they are counted by the primary that commits: when a majority has the commit, it has
 * them too, and only then may the old copy go.
 */
async function record({ db, models }: Core, target: BlobStore, written: WrittenBlob): Promise<void> {
  await db.transaction(async (session) => {
    await models.Image.updateOne({ blob: written.id }, { $set: { store: written.store } }, { session });
    if (!(await target.confirm(written, session)))
      throw new Refused(
        `MongoDB lost parts of the copy of blob ${written.id}, as after an election. It stays where it was: start the command again.`,
      );
  });
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Another run has just done the same. */
function unlessThere(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}

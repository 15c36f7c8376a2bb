import type { Core } from '@lightbox/core/core.js';
import { firstId, idAt, type ObjectId } from '@lightbox/core/db/ids.js';
import { leaveTombstones, removeBytes } from '@lightbox/core/images/removeImage.js';
import type { TombstoneDoc } from '@lightbox/core/models/tombstone.js';
import { usedByLaterVersion } from '@lightbox/core/models/upgrade.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import { eachApart } from './eachApart.js';

const BATCH = 500;
/** The length of one turn. The next turn continues at the stored position. */
const TURN_MS = 1_000;
/** Time for the job of the deletion itself. */
const GRACE_MS = 60_000;

/**
 * Removes blobs without a record: those of deleted images whose job was lost, those of uploads and voice messages that
 * never got a record, and plain frames whose drawing was not stored. It skips the last hour, because an upload may still be
 * running. After a jump of MongoDB's clock one that runs seems older: so a blob is listed first, and removed a minute later
 * if it has no record then. An upload that ends meanwhile looks at the list (`core/src/blobs/isStored.ts`).
 * Beside a later version it looks for none: that version may store records with blobs that this one does not know.
 */
export async function removeOrphanBlobs(core: Core): Promise<void> {
  const now = core.clock.now().getTime();
  await removeListed(core, new Date(now - GRACE_MS));
  if (await usedByLaterVersion(core.models)) return;
  const end = idAt(now - HOUR_MS);
  // Checks each blob once when it is an hour old. A slow second round checks all blobs, because an older version may have left some.
  await lookThrough(core, { name: 'blobs.recent', from: idAt(now - 48 * HOUR_MS), end, turnMs: TURN_MS });
  const round = { name: 'blobs.all', from: firstId, end, turnMs: TURN_MS };
  if (await lookThrough(core, round)) await core.models.Position.deleteOne({ _id: round.name });
}

/** Removes the bytes of all deleted images. */
export async function removeAllListed(core: Core): Promise<void> {
  while ((await removeListed(core)) === BATCH);
}

/** Returns the number of blobs that it removed, at most a batch. */
async function removeListed(core: Core, before?: Date): Promise<number> {
  const { Tombstone } = core.models;
  const listed = await Tombstone.find(before ? { at: { $lt: before } } : { unowned: { $exists: false } })
    .sort({ at: 1 })
    .limit(BATCH)
    .lean<TombstoneDoc[]>();
  const kept = await recorded(
    core,
    listed.filter(({ unowned }) => unowned).map(({ _id }) => _id),
  );
  await eachApart(core, 'removal of bytes', listed, ({ _id }) =>
    kept.has(String(_id)) ? Tombstone.deleteOne({ _id }) : removeBytes(core, _id),
  );
  return listed.length;
}

/** Returns those of the blobs that have a record. */
async function recorded({ models }: Core, blobs: readonly ObjectId[]): Promise<Set<string>> {
  if (blobs.length === 0) return new Set();
  const { Drawing, Image, Upload, Voice } = models;
  const images = await Image.find({ blob: { $in: blobs } }, { blob: 1 }).lean();
  const arriving = await Upload.find({ blob: { $in: blobs } }, { blob: 1 }).lean();
  const voices = await Voice.find({ blob: { $in: blobs } }, { blob: 1 }).lean();
  const drawings = await Drawing.find({ 'plain.blob': { $in: blobs } }, { plain: 1 }).lean();
  const kept = [
    ...[...images, ...arriving, ...voices].map(({ blob }) => blob),
    ...drawings.map(({ plain }) => plain?.blob),
  ];
  return new Set(kept.map(String));
}

interface Search {
  /** The id of its stored position. */
  name: string;
  /** Start of the search when no position is stored. */
  from: ObjectId;
  end: ObjectId;
  turnMs: number;
}

/** Searches for one turn. Returns true when it has reached the end. */
async function lookThrough(core: Core, { name, from, end, turnMs }: Search): Promise<boolean> {
  const { Position } = core.models;
  const until = performance.now() + turnMs;
  let after = (await Position.findById(name).lean())?.after ?? from;
  while (performance.now() < until) {
    const blobs = await core.blobs.between(after, end, BATCH);
    const last = blobs.at(-1);
    if (!last) return true;
    const known = await recorded(core, blobs);
    const unowned = blobs.filter((blob) => !known.has(String(blob)));
    await leaveTombstones(core.models, unowned, core.clock.now(), null, { unowned: true });
    after = last;
    await Position.updateOne({ _id: name }, { $set: { after } }, { upsert: true });
  }
  return false;
}

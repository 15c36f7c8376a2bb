import type { Core } from '@lightbox/core/core.js';
import { ObjectId } from '@lightbox/core/db/ids.js';

const HOUR_MS = 3_600_000;
const BATCH = 500;
/** Longer than an analysis or a preview takes with all its retries. */
const STUCK_MS = 10 * 60_000;

/** What began longer ago than this has been looked through often enough. */
const LOOK_BACK_MS = 48 * HOUR_MS;

/** Removes blobs of uploads that never got a record. Those of the last hour may still be under way. */
export async function removeOrphanBlobs(core: Core): Promise<void> {
  const now = core.clock.now().getTime();
  let after: ObjectId | null = idAt(now - LOOK_BACK_MS);
  while (after) {
    const blobs: ObjectId[] = await core.blobs.olderThan(new Date(now - HOUR_MS), after, BATCH);
    const kept = await core.models.Image.find({ blob: { $in: blobs } }, { blob: 1 }).lean();
    const known = new Set(kept.map((image) => String(image.blob)));
    for (const blob of blobs) if (!known.has(String(blob))) await core.blobs.delete(blob);
    after = blobs.length === BATCH ? (blobs.at(-1) ?? null) : null;
  }
}

/** Starts analyses again whose job was lost; the job's own retries are over by then. */
export async function reviveAnalyses(core: Core): Promise<void> {
  const before = new Date(core.clock.now().getTime() - STUCK_MS);
  const stuck = await core.models.Analysis.find({ status: { $in: ['queued', 'active'] }, startedAt: { $lt: before } })
    .limit(BATCH)
    .lean();
  for (const analysis of stuck) {
    const again = await core.models.Analysis.updateOne(
      { _id: analysis._id, run: analysis.run, startedAt: analysis.startedAt },
      { $set: { status: 'queued', progress: 0, startedAt: core.clock.now() }, $inc: { run: 1 } },
    );
    if (again.modifiedCount === 1) {
      await core.queues.add([
        {
          name: 'analyseImage',
          data: { imageId: String(analysis._id) },
          id: `${analysis._id}-${analysis.run + 1}-analysis`,
        },
      ]);
    }
  }
}

/**
 * Asks again for previews whose job was lost, by a Redis that came back empty say. Once for each image: a job that fails is
 * kept under its id, for an administrator to see and run again.
 */
export async function revivePreviews(core: Core): Promise<void> {
  const now = core.clock.now().getTime();
  const between = { $gte: idAt(now - LOOK_BACK_MS), $lt: idAt(now - STUCK_MS) };
  const images = await core.models.Image.find({ _id: between, preview: 'pending' }, { _id: 1 }).limit(BATCH).lean();
  await core.queues.add(
    images.map(({ _id }) => ({
      name: 'renderPreview',
      data: { imageId: String(_id), ranked: true },
      id: `${_id}-preview-again`,
    })),
  );
}

const idAt = (ms: number): ObjectId => ObjectId.createFromTime(Math.floor(ms / 1000));

/** Puts right, once a day for each account, what a crash between an image and its owner's usage has left wrong. */
export const recountUsage = (core: Core): Promise<void> =>
  core.usage.recount(new Date(core.clock.now().getTime() - 24 * HOUR_MS), BATCH);

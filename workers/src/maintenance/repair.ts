import { analysisMoves } from '@lightbox/contract/analysis/states.js';
import { touch } from '@lightbox/core/access/hold.js';
import { mayMove, underWay } from '@lightbox/core/analysis/moves.js';
import type { Core } from '@lightbox/core/core.js';
import { idAt } from '@lightbox/core/db/ids.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import { eachApart } from './eachApart.js';

const BATCH = 500;
/** Longer than a preview takes with all its retries, and than an analysis goes on without a sign of it. */
const STUCK_MS = 10 * 60_000;

/** Older previews were already checked often enough. */
const LOOK_BACK_MS = 48 * HOUR_MS;

/**
 * Starts analyses again whose job was lost. One that a worker still goes on with is not lost, however long its attempts take
 * together. A job that only waits long in its queue cannot be told from a lost one, so there is at most one new job beside it.
 * Removes analyses without an image.
 */
export async function reviveAnalyses(core: Core): Promise<void> {
  const stuck = await core.models.Analysis.find({ ...underWay, ...silentSince(core) })
    .limit(BATCH)
    .lean<AnalysisDoc[]>();
  await eachApart(core, 'new start of Analysis', stuck, async (analysis) => {
    if (!(await queueAgain(core, analysis))) return;
    const imageId = String(analysis._id);
    await core.queues.add([{ name: 'analyseImage', data: { imageId }, once: `${imageId}-analysis` }]);
  });
}

/** A filter for the analyses that began, and were last gone on with, before `STUCK_MS`. */
function silentSince({ clock }: Core) {
  const before = new Date(clock.now().getTime() - STUCK_MS);
  return { startedAt: { $lt: before }, beatAt: { $not: { $gte: before } } };
}

/**
 * Writes the run and the image's record, both or neither. Returns false when another worker was faster or the image does not
 * exist. A plain transaction without an event: the audit log already holds the request of the analysis.
 */
function queueAgain(core: Core, { _id, run }: AnalysisDoc): Promise<boolean> {
  const { db, models, clock } = core;
  const { Analysis, Image } = models;
  return db.transaction(async (session) => {
    const again = await Analysis.updateOne(
      { _id, run, ...silentSince(core), ...mayMove('revive') },
      { $set: { status: analysisMoves.revive.to, progress: 0, startedAt: clock.now() }, $inc: { run: 1 } },
      { session },
    );
    if (again.modifiedCount === 0) return false;
    const image = await Image.updateOne(
      { _id },
      { $set: { analysis: analysisMoves.revive.to }, ...touch },
      { session },
    );
    if (image.matchedCount === 0) await Analysis.deleteOne({ _id }, { session });
    return image.matchedCount === 1;
  });
}

/**
 * Enters the jobs of previews again that were lost, for example when Redis restarted empty. Once for each image: Redis keeps
 * a failed job under its id, so that an administrator can see it and run it again.
 */
export async function revivePreviews(core: Core): Promise<void> {
  const now = core.clock.now().getTime();
  const between = { $gte: idAt(now - LOOK_BACK_MS), $lt: idAt(now - STUCK_MS) };
  const images = await core.models.Image.find({ _id: between, preview: 'pending' }, { _id: 1 }).limit(BATCH).lean();
  await core.queues.add(
    images.map(({ _id }) => ({
      name: 'renderPreview',
      data: { imageId: String(_id) },
      id: `${_id}-preview-again`,
    })),
  );
}

/** Recounts the usage of each account once a day, because a crash between an image and its owner's usage makes it wrong. */
export const recountUsage = (core: Core): Promise<void> => core.usage.recount(core.clock.now(), BATCH);

import type { Core } from '@lightbox/core/core.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { JobContext } from '../jobContext.js';

/** The files that one person sent within this time are counted. */
const WINDOW_MS = 10 * 60_000;
/** All files beyond this number share the last place. */
const LAST_PLACE = 1_000;

/**
 * Gives the files that one owner uploads within ten minutes one place after the other. So each owner's first file comes
 * before every second file, and one owner's files do not delay those of others.
 */
export async function takePlaceForPreview(
  core: Core,
  imageId: string,
  { hasPlace, behind }: JobContext,
): Promise<void> {
  const image = hasPlace ? null : await core.models.Image.findById(oid(imageId)).lean<ImageDoc>();
  if (!image) return;
  const { _id, owner, createAt } = image;
  const filter = { owner, ...earlierThan('createAt', createAt, _id) };
  const earlier = await core.models.Image.countDocuments(filter, { limit: LAST_PLACE });
  if (earlier > 0) await behind(earlier);
}

/** Does the same for the analyses that one person requests. */
export async function takePlaceForAnalysis(
  core: Core,
  imageId: string,
  { hasPlace, behind }: JobContext,
): Promise<void> {
  const analysis = hasPlace ? null : await core.models.Analysis.findById(oid(imageId)).lean<AnalysisDoc>();
  if (!analysis) return;
  const { _id, requestedBy, startedAt } = analysis;
  const filter = { requestedBy, ...earlierThan('startedAt', startedAt, _id) };
  const earlier = await core.models.Analysis.countDocuments(filter, { limit: LAST_PLACE });
  if (earlier > 0) await behind(earlier);
}

/** A filter for the records of the last ten minutes before one. Those that came at once have one time, and the order of their ids. */
const earlierThan = (field: string, time: Date, id: ObjectId) => ({
  [field]: { $gte: new Date(time.getTime() - WINDOW_MS), $lte: time },
  $or: [{ [field]: { $lt: time } }, { _id: { $lt: id } }],
});

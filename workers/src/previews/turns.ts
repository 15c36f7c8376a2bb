import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { AnalysisDoc, ImageDoc } from '@lightbox/core/models/types.js';
import type { JobData } from '@lightbox/core/queues/jobs.js';

/** What a handler resolves to that has entered its work as another job. */
export const PASSED_ON = Symbol('passed on');

/** Files that one person has sent within this time before count. */
const WINDOW_MS = 10 * 60_000;
/** All files beyond so many share the last place. */
const LAST_PLACE = 1_000;

/**
 * Whether a preview is to be drawn now. The files that one owner sends within ten minutes take places one behind the
 * other, and each owner's first file comes before everybody's second, so that nobody's files hold up another's. False: the
 * job was entered again with its place as priority.
 */
export async function isPreviewsTurn(
  core: Core,
  { imageId, eventId, ranked }: JobData<'renderPreview'>,
): Promise<boolean> {
  const image = ranked ? null : await core.models.Image.findById(oid(imageId)).lean<ImageDoc>();
  if (!image) return true;
  const { owner, createAt } = image;
  const filter = { owner, createAt: { $gte: before(createAt), $lt: createAt } };
  const priority = await core.models.Image.countDocuments(filter, { limit: LAST_PLACE });
  if (priority === 0) return true;
  const id = `${imageId}-preview-ranked`;
  await core.queues.add([{ name: 'renderPreview', data: { imageId, eventId, ranked: true }, id, priority }]);
  return false;
}

/** The same for an analysis, among those that one person asked for. */
export async function isAnalysisTurn(
  core: Core,
  { imageId, eventId, ranked }: JobData<'analyseImage'>,
): Promise<boolean> {
  const analysis = ranked ? null : await core.models.Analysis.findById(oid(imageId)).lean<AnalysisDoc>();
  if (!analysis) return true;
  const { requestedBy, startedAt, run } = analysis;
  const filter = { requestedBy, startedAt: { $gte: before(startedAt), $lt: startedAt } };
  const priority = await core.models.Analysis.countDocuments(filter, { limit: LAST_PLACE });
  if (priority === 0) return true;
  const id = `${imageId}-${run}-analysis-ranked`;
  await core.queues.add([{ name: 'analyseImage', data: { imageId, eventId, ranked: true }, id, priority }]);
  return false;
}

const before = (time: Date): Date => new Date(time.getTime() - WINDOW_MS);

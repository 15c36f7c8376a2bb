import type { Core } from '@lightbox/core/core.js';
import { system } from '@lightbox/core/events/events.js';
import { removeStudy } from '@lightbox/core/studies/removeStudy.js';

const BATCH = 500;
/** Longer than an interrupted upload into the study may be resumed. */
const GRACE_MS = 48 * 3_600_000;

/** Removes studies that were begun and got no image. */
export async function removeEmptyStudies(core: Core): Promise<void> {
  const before = new Date(core.clock.now().getTime() - GRACE_MS);
  const empty = await core.models.Study.find({ images: 0, createAt: { $lt: before } }, { _id: 1 })
    .limit(BATCH)
    .lean();
  for (const { _id } of empty) await removeStudy(core, system, _id, 'It stayed empty.', { images: 0 });
}

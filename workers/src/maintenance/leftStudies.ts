import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { system } from '@lightbox/core/events/events.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { removeStudy } from '@lightbox/core/studies/removeStudy.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import type { QueryFilter } from 'mongoose';
import { eachApart } from './eachApart.js';
import { unlessHeld } from './retention.js';

const BATCH = 500;
/** Longer than an interrupted upload into the study may be resumed. */
const EMPTY_HOURS = 48;

/** Removes studies that were begun and got no image. */
export async function removeEmptyStudies(core: Core): Promise<void> {
  await removeStudies(core, EMPTY_HOURS, { images: 0 }, 'It stayed empty.');
}

/** Removes studies of copies that somebody began and left, as by closing the window. Their originals stay. */
export async function removeUnfinishedCopies(core: Core): Promise<void> {
  await removeStudies(
    core,
    limits.unfinishedCopiesHours,
    { planned: { $exists: true } },
    'Its copies were not finished.',
  );
}

async function removeStudies(core: Core, hours: number, only: QueryFilter<StudyDoc>, reason: string): Promise<void> {
  const before = new Date(core.clock.now().getTime() - hours * HOUR_MS);
  const old = await core.models.Study.find({ ...only, createAt: { $lt: before } }, { _id: 1 })
    .limit(BATCH)
    .lean();
  await eachApart(core, 'removal of Study', old, ({ _id }) =>
    removeStudy(core, system, _id, reason, only).catch(unlessHeld),
  );
}

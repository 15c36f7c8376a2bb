import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { system } from '@lightbox/core/events/events.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { eachApart } from './eachApart.js';

const BATCH = 100;

/**
 * Tells the owners of studies that a device has sent and that have stopped arriving. A file that comes later begins the wait
 * anew.
 */
export async function completeStudies(core: Core): Promise<void> {
  const { models, clock, events } = core;
  const quietSince = new Date(clock.now().getTime() - limits.studyQuietSeconds * 1000);
  const quiet = { arrivedAt: { $lte: quietSince } };
  const studies = await models.Study.find(quiet, { owner: 1 }).limit(BATCH).lean<Pick<StudyDoc, '_id' | 'owner'>[]>();
  await eachApart(core, 'arrival of Study', studies, ({ _id, owner }) =>
    events.change(system, async (tx) => {
      const done = await models.Study.updateOne(
        { _id, owner, ...quiet },
        { $unset: { arrivedAt: 1 } },
        { session: tx.session },
      );
      // A further file has come, or another worker has told it.
      if (done.modifiedCount === 0) return _id;
      tx.record({ type: 'study.complete', record: _id, owners: [owner], recipients: [owner] });
      return _id;
    }),
  );
}

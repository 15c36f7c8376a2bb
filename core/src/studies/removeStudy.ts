import type { QueryFilter } from 'mongoose';
import { seenBy } from '../access/grounds.js';
import { refuseHeld } from '../access/legalHolds.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Actor } from '../events/events.js';
import { endWith } from '../images/removeImage.js';
import type { ImageDoc } from '../models/image.js';
import type { StudyDoc } from '../models/study.js';
import { endStudy } from './leaveStudy.js';

/**
 * Deletes a study with all its images and everything that belongs to them, with one event. `only` narrows it to a study
 * that still matches.
 */
export async function removeStudy(
  core: Core,
  actor: Actor,
  id: ObjectId,
  reason: string,
  only: QueryFilter<StudyDoc> = {},
): Promise<void> {
  const { models, usage } = core;
  let images: ImageDoc[] = [];
  await core.events.change(actor, async (tx) => {
    const session = tx.session;
    images = [];
    // Written first: an upload into the study at the same moment is repeated, and then refused or begins a new study.
    const study = await models.Study.findOneAndDelete({ ...only, _id: id }, { session }).lean();
    if (!study) return id;
    images = await models.Image.find({ study: id }, null, { session }).lean<ImageDoc[]>();
    await refuseHeld(
      models,
      images.map(({ patient }) => patient),
      session,
    );
    await models.Image.deleteMany({ study: id }, { session });
    await endWith(core, tx, images);
    await endStudy(core, tx, id);
    const audience = images.flatMap((image) => image.audience);
    tx.record({
      type: 'study.deleted',
      record: id,
      records: images.map(({ _id }) => _id),
      owners: images.length > 0 ? images.map(({ owner }) => owner) : [study.owner],
      recipients: await seenBy(core, study, audience, session),
      reason,
    });
    return id;
  });
  const [first] = images;
  const bytes = images.reduce((sum, { size }) => sum + size, 0);
  if (first) await usage.giveBack(first.owner, bytes, images.length);
}

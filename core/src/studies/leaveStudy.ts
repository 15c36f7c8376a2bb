import { refreshAudience } from '../access/audience.js';
import { refreshCards } from '../access/cards.js';
import { touch } from '../access/hold.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Transaction } from '../events/events.js';
import type { ImageDoc } from '../models/image.js';
import type { StudyDoc } from '../models/study.js';

/**
 * Takes a deleted image out of its study. When it stood for the study, the image that was uploaded next stands for it now.
 * With the last image the study ends, and its shares. Part of the transaction that deletes the image.
 */
export async function leaveStudy(core: Core, tx: Transaction, image: ImageDoc, id: ObjectId): Promise<void> {
  const { models, clock } = core;
  const session = tx.session;
  const left = await models.Study.findOneAndUpdate(
    { _id: id },
    { $inc: { images: -1, bytes: -image.size, ...touch.$inc } },
    { session, returnDocument: 'after' },
  ).lean<StudyDoc>();
  const next = await models.Image.findOne({ study: id }, { _id: 1 }, { session }).sort({ createAt: 1, _id: 1 }).lean();
  if (!left || !next) return endStudy(core, tx, id);
  const modalities = await models.Image.distinct('series.modality', { study: id }).session(session);
  await models.Study.updateOne({ _id: id }, { $set: { modalities } }, { session });
  if (image.isLead) {
    await models.Image.updateOne({ _id: next._id }, { $set: { isLead: true } }, { session });
    await models.Study.updateOne({ _id: id }, { $set: { lead: next._id } }, { session });
    await models.Share.updateMany({ study: id }, { $set: { image: next._id } }, { session });
    await models.GuestLink.updateMany({ study: id }, { $set: { image: next._id } }, { session });
  }
  const target = { image: next._id, study: id };
  if (image.shownTo.length > 0) await refreshAudience(models, target, clock.now(), session);
  else await refreshCards(models, target, clock.now(), session);
}

/**
 * Deletes the record of a study without images, and ends its shares, invitations and guest links. Part of the caller's
 * transaction.
 */
export async function endStudy({ models, clock }: Core, tx: Transaction, id: ObjectId): Promise<void> {
  const session = tx.session;
  await models.Study.deleteOne({ _id: id }, { session });
  const ended = { $set: { live: false, endedAt: clock.now() } };
  await models.Share.updateMany({ study: id, live: true }, ended, { session });
  await models.GuestLink.updateMany({ study: id, live: true }, ended, { session });
  await models.Invite.deleteMany({ study: id }, { session });
}

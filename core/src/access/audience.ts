import type { ClientSession } from 'mongoose';
import type { ObjectId } from '../db/ids.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';
import type { StudyDoc } from '../models/study.js';
import { refreshCards } from './cards.js';
import { touch } from './hold.js';
import { covers, liveShare, type ShareTarget, sharesOf } from './shares.js';

/**
 * Updates the list fields and the cards of the images that a share covers. Part of every transaction that begins or ends a
 * share.
 */
export async function refreshAudience(
  models: Models,
  target: ShareTarget,
  now: Date,
  session: ClientSession,
): Promise<void> {
  const study = target.study ?? (await models.Image.findById(target.image, { study: 1 }, { session }).lean())?.study;
  await (study ? refreshStudy(models, study, now, session) : refreshImage(models, target.image, now, session));
  await refreshCards(models, { image: target.image, ...(study ? { study } : {}) }, now, session);
}

async function refreshImage(models: Models, id: ObjectId, now: Date, session: ClientSession): Promise<void> {
  const own = { ...sharesOf({ image: id }), ...liveShare(now) };
  const shares = await models.Share.find(own, { recipient: 1 }, { session }).lean<ShareDoc[]>();
  const image = await models.Image.findById(id, { owner: 1 }, { session }).lean<ImageDoc>();
  if (!image) return;
  const audience = audienceOf(image.owner, shares);
  await models.Image.updateOne(
    { _id: id },
    { $set: { audience, shownTo: audience, isShared: audience.length > 0 }, ...touch },
    { session },
  );
}

/** The fields of an image's record that lists use, without the image's own shares. */
export const listFields = (owner: ObjectId, shares: readonly Pick<ShareDoc, 'recipient'>[], isLead: boolean) => {
  const audience = audienceOf(owner, shares);
  return { audience, shownTo: isLead ? audience : [], isShared: audience.length > 0 };
};

/**
 * Updates all images of a study. Most have no share of their own and are written together. The image that stands for the
 * study is the row of everybody who sees it; anyone else sees the first image that they may.
 */
async function refreshStudy(models: Models, id: ObjectId, now: Date, session: ClientSession): Promise<void> {
  // Written too, so that an upload into the study at the same moment is repeated and sees the change.
  const study = await models.Study.findOneAndUpdate({ _id: id }, touch, { session }).lean<StudyDoc>();
  if (!study?.lead) return;
  const { owner, lead } = study;
  const ids = (
    await models.Image.find({ study: id }, { _id: 1 }, { session }).sort({ createAt: 1, _id: 1 }).lean()
  ).map(({ _id }) => _id);
  const shares = await models.Share.find(
    { $and: [{ $or: [{ study: id }, { image: { $in: ids }, study: { $exists: false } }] }], ...liveShare(now) },
    { image: 1, study: 1, recipient: 1 },
    { session },
  ).lean<ShareDoc[]>();
  const ofStudy = shares.filter((share) => share.study);
  const single = new Set(shares.flatMap((share) => (share.study ? [] : [String(share.image)])));
  const apart = [lead, ...ids.filter((image) => !image.equals(lead) && single.has(String(image)))];
  const others = { study: id, _id: { $nin: apart } };
  await models.Image.updateMany(others, { $set: listFields(owner, ofStudy, false), ...touch }, { session });
  const shown = new Set<string>();
  for (const image of apart) {
    const covered = shares.filter((share) => covers(share, { _id: image, study: id }));
    const { audience, isShared } = listFields(owner, covered, false);
    const shownTo = audience.filter((person) => !shown.has(String(person)));
    for (const person of audience) shown.add(String(person));
    await models.Image.updateOne({ _id: image }, { $set: { audience, isShared, shownTo }, ...touch }, { session });
  }
}

function audienceOf(owner: ObjectId, shares: readonly Pick<ShareDoc, 'recipient'>[]): ObjectId[] {
  const recipients = new Map(shares.map(({ recipient }) => [String(recipient), recipient]));
  return recipients.size > 0 ? [...recipients.values(), owner] : [];
}

import { type ImageFacts, type ImageViewer, imageRules } from '@lightbox/contract/images/policy.js';
import { type ObjectId, oid, sameId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';
import type { StudyDoc } from '../models/study.js';
import { caresOf } from './carers.js';
import { emergenciesOf } from './emergencies.js';
import { groundsOf, type OpenedBy } from './grounds.js';
import { imageFacts, type Judged, openedBy } from './images.js';
import { covering, covers, liveShare, openedOriginal, type ShareTarget } from './shares.js';
import { studyFacts } from './studies.js';

/** An image whose original the viewer may open. */
export interface Openable<I> extends OpenedBy {
  image: I;
  facts: ImageFacts;
}

/** Somebody who reads, by a right that may be limited to one image or study: a token for another viewer. */
export interface LimitedViewer extends ImageViewer {
  only?: ShareTarget | undefined;
}

/** Returns those of the images whose originals the viewer may open, by a few reads for any number of images. */
export async function openable<I extends Judged>(
  models: Models,
  viewer: LimitedViewer,
  all: readonly I[],
  now: Date,
): Promise<Openable<I>[]> {
  const { only } = viewer;
  const images = only ? all.filter((image) => covers(only, image)) : all;
  const among = covering(images);
  const [shares, grounds] = await Promise.all([
    models.Share.find({ ...among, recipient: oid(viewer.id), ...liveShare(now) })
      .readConcern(NEWEST)
      .lean<ShareDoc[]>(),
    groundsOf(models, viewer, among, now),
  ]);
  return images.flatMap((image) => {
    const mine = shares.filter((share) => covers(share, image));
    const facts = imageFacts(image, mine, grounds);
    if (!imageRules.open(viewer, facts)) return [];
    return [{ image, facts, ...openedBy(viewer, facts, grounds, image, (share) => covers(share, image)) }];
  });
}

/**
 * Returns the ids of those of the studies that the viewer may open as a whole. Of the others, they know the images that they
 * may open, and nothing that the record of the study says.
 */
export async function openStudies(
  models: Models,
  viewer: LimitedViewer,
  all: readonly StudyDoc[],
  now: Date,
): Promise<Set<string>> {
  const { only } = viewer;
  const studies = only ? all.filter(({ _id }) => sameId(_id, only.study)) : all;
  const among = { study: { $in: studies.map(({ _id }) => _id) } };
  const [shares, grounds] = await Promise.all([
    models.Share.find({ ...among, recipient: oid(viewer.id), ...openedOriginal(now) })
      .readConcern(NEWEST)
      .lean<ShareDoc[]>(),
    groundsOf(models, viewer, among, now),
  ]);
  const open = studies.filter((study) => {
    const share = shares.find((one) => sameId(study._id, one.study)) ?? null;
    return imageRules.open(viewer, studyFacts(study, share, grounds));
  });
  return new Set(open.map(({ _id }) => String(_id)));
}

/** Filters for the images and studies that the viewer may be able to open. They narrow a search; the policy decides. */
export interface Reach {
  images: object;
  studies: object;
}

/** Returns the filters for a viewer, within the limit of their right. */
export async function reachOf(models: Models, viewer: LimitedViewer, now: Date): Promise<Reach> {
  const reach = await wholeReach(models, viewer, now);
  if (!viewer.only) return reach;
  const { image, study } = viewer.only;
  const named = study ?? (await models.Image.findById(image, { study: 1 }).lean<ImageDoc>())?.study ?? null;
  return {
    images: { $and: [reach.images, study ? { study } : { _id: image }] },
    studies: { $and: [reach.studies, { _id: named }] },
  };
}

/** Returns the same for all of their rights: what they own, what was shared with them, and what another ground opens. */
async function wholeReach(models: Models, viewer: ImageViewer, now: Date): Promise<Reach> {
  if (viewer.role === 'admin') return { images: {}, studies: {} };
  const me = oid(viewer.id);
  const [mine, emergencies, cares] = await Promise.all([
    models.Share.find({ recipient: me, ...openedOriginal(now) }, { image: 1, study: 1 })
      .readConcern(NEWEST)
      .lean<ShareDoc[]>(),
    emergenciesOf(models, viewer, now),
    caresOf(models, viewer, {}, now),
  ]);
  const shares = [...mine, ...cares.flatMap((care) => care.shares)];
  const studies: ObjectId[] = shares.flatMap(({ study }) => (study ? [study] : []));
  const images = shares.filter(({ study }) => !study).map(({ image }) => image);
  const patients = emergencies.map(({ patient }) => patient);
  const theirs = patients.length > 0 ? [{ patient: { $in: patients } }, { owner: { $in: patients } }] : [];
  const among = await models.Image.distinct('study', { _id: { $in: images }, study: { $exists: true } });
  return {
    images: { $or: [{ owner: me }, { study: { $in: studies } }, { _id: { $in: images } }, ...theirs] },
    studies: { $or: [{ owner: me }, { _id: { $in: [...studies, ...among] } }, ...theirs] },
  };
}

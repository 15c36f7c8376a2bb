import { type ImageFacts, type ImageViewer, imageRules } from '@lightbox/contract/images/policy.js';
import { type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';
import { caresOf } from './carers.js';
import { emergenciesOf } from './emergencies.js';
import { groundsOf, type OpenedBy } from './grounds.js';
import { imageFacts, openedBy } from './images.js';
import { covering, covers, liveShare, verifiedShare } from './shares.js';

type Judged = Pick<ImageDoc, '_id' | 'owner' | 'patient' | 'study' | 'held'>;

/** An image whose original the viewer may open. */
export interface Openable<I> extends OpenedBy {
  image: I;
  facts: ImageFacts;
}

/** Returns those of the images whose originals the viewer may open, by a few reads for any number of images. */
export async function openable<I extends Judged>(
  models: Models,
  viewer: ImageViewer,
  images: readonly I[],
  now: Date,
): Promise<Openable<I>[]> {
  const among = covering(images as unknown as ImageDoc[]);
  const [shares, grounds] = await Promise.all([
    models.Share.find({ ...among, recipient: oid(viewer.id), ...liveShare(now) })
      .readConcern(NEWEST)
      .lean<ShareDoc[]>(),
    groundsOf(models, viewer, among, now),
  ]);
  return images.flatMap((image) => {
    const mine = shares.filter((share) => covers(share, image));
    const facts = imageFacts(image as unknown as ImageDoc, mine, grounds);
    if (!imageRules.open(viewer, facts)) return [];
    return [{ image, facts, ...openedBy(viewer, facts, grounds, image, (share) => covers(share, image)) }];
  });
}

/** Filters for the images and studies that the viewer may be able to open. They narrow a search; the policy decides. */
export interface Reach {
  images: object;
  studies: object;
}

/** Returns the filters for a viewer: what they own, what was shared with them, and what they open by another ground. */
export async function reachOf(models: Models, viewer: ImageViewer, now: Date): Promise<Reach> {
  if (viewer.role === 'admin') return { images: {}, studies: {} };
  const me = oid(viewer.id);
  const [mine, emergencies, cares] = await Promise.all([
    models.Share.find({ recipient: me, deidentified: { $ne: true }, ...verifiedShare(now) }, { image: 1, study: 1 })
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

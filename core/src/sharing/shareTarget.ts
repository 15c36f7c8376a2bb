import type { ClientSession } from 'mongoose';
import type { ShareTarget } from '../access/shares.js';
import type { ObjectId } from '../db/ids.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';

/** Returns the owner of an image or a study that is shared; null once it is deleted. */
export async function ownerOf(
  models: Models,
  { image, study }: Partial<ShareTarget>,
  session: ClientSession | null = null,
): Promise<ObjectId | null> {
  const found = study
    ? await models.Study.findById(study, { owner: 1 }, { session }).lean()
    : await models.Image.findById(image, { owner: 1 }, { session }).lean();
  return found?.owner ?? null;
}

/**
 * The records and the refs of an event about a share: the study or the image, and the image that stands for the study.
 * `records` names the share, so that the log says later who got access.
 */
export const aboutShare = ({ _id, image, study }: Pick<ShareDoc, '_id' | 'image' | 'study'>) => ({
  record: study ?? image,
  records: [_id],
  refs: { share: _id, ...(study ? { lead: image } : {}) },
});

import type { ClientSession, QueryFilter } from 'mongoose';
import type { ObjectId } from '../db/ids.js';
import { AppError } from '../errors.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { StudyDoc } from '../models/study.js';
import type { UserDoc } from '../models/user.js';
import { usableAccount } from './accounts.js';

/**
 * MongoDB's transactions conflict only on records that both write. So a transaction that relies on a record without
 * changing it writes the record all the same. It then conflicts with a transaction that deletes, closes or ends that
 * record, and one of the two is retried. The counter makes each such write a new value, because MongoDB skips a write
 * that changes nothing.
 */
export const touch = { $inc: { touched: 1 } };

/** Returns the image, for a transaction that adds something to it; 404 once it is deleted. */
export async function holdImage(models: Models, id: ObjectId, session: ClientSession): Promise<ImageDoc> {
  const image = await models.Image.findOneAndUpdate({ _id: id }, touch, { session }).lean<ImageDoc>();
  if (!image) throw new AppError('NOT_FOUND');
  return image;
}

/** Returns the study, for a transaction that adds something to it; 404 once it is deleted. */
export async function holdStudy(models: Models, id: ObjectId, session: ClientSession): Promise<StudyDoc> {
  const study = await models.Study.findOneAndUpdate({ _id: id }, touch, { session }).lean<StudyDoc>();
  if (!study) throw new AppError('NOT_FOUND');
  return study;
}

/** Returns a usable account that matches, for a transaction that gives it something; null when there is none. */
export const holdUser = (
  models: Models,
  filter: QueryFilter<UserDoc>,
  session: ClientSession,
): Promise<UserDoc | null> =>
  models.User.findOneAndUpdate({ ...usableAccount, ...filter }, touch, {
    session,
    sort: { createAt: 1 },
  }).lean<UserDoc>();

import type { ClientSession, QueryFilter } from 'mongoose';
import type { ObjectId } from '../db/ids.js';
import { AppError } from '../errors.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { UserDoc } from '../models/user.js';

/**
 * MongoDB's transactions conflict only where both write. A transaction that relies on a record it does not change writes it
 * all the same, so that one that deletes, closes or ends that record meets it, and one of the two begins again. The count
 * makes each such write a new value, for MongoDB leaves out a write that changes nothing.
 */
export const touch = { $inc: { touched: 1 } };

/** The image, for a transaction that adds something to it; 404 once it is deleted. */
export async function holdImage(models: Models, id: ObjectId, session: ClientSession): Promise<ImageDoc> {
  const image = await models.Image.findOneAndUpdate({ _id: id }, touch, { session }).lean<ImageDoc>();
  if (!image) throw new AppError('NOT_FOUND');
  return image;
}

const working = { status: 'active', active: true, deletedAt: { $exists: false } } as const;

/** An account that works and matches, for a transaction that gives it something; null when there is none. */
export const holdUser = (
  models: Models,
  filter: QueryFilter<UserDoc>,
  session: ClientSession,
): Promise<UserDoc | null> =>
  models.User.findOneAndUpdate({ ...working, ...filter }, touch, { session, sort: { createAt: 1 } }).lean<UserDoc>();

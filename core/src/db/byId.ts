import type { Model } from 'mongoose';
import { grouped } from './group.js';
import type { ObjectId } from './ids.js';
import { NEWEST } from './newest.js';

/**
 * Reads records by id, for what every request asks: what is wanted while a read is under way is read together by the next.
 * Each read begins after it was asked for, so it never shows an older state than a read of one's own would.
 */
export function byId<T extends { _id: ObjectId }>(model: Model<T>): (id: ObjectId) => Promise<T | null> {
  return grouped(async (ids) => {
    const found = await model
      .find({ _id: { $in: ids } })
      .readConcern(NEWEST)
      .lean<T[]>();
    const known = new Map(found.map((record) => [String(record._id), record]));
    return ids.map((id) => known.get(String(id)) ?? null);
  });
}

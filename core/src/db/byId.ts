import type { Model } from 'mongoose';
import { grouped } from './group.js';
import type { ObjectId } from './ids.js';
import { NEWEST } from './newest.js';

/**
 * Returns a function that reads records by id, for reads that every request makes. Ids that are wanted during a read
 * are read together by the next one. Each read begins after it was asked for, so it never shows an older state than a
 * separate read would.
 */
export function byId<T extends { _id: ObjectId }>(
  model: Model<T>,
  /** The fields to read; all of them by default. */
  fields: Partial<Record<keyof T, 1>> = {},
): (id: ObjectId) => Promise<T | null> {
  return grouped(async (ids) => {
    const found = await model
      .find({ _id: { $in: ids } }, fields)
      .readConcern(NEWEST)
      .lean<T[]>();
    const byText = new Map(found.map((record) => [String(record._id), record]));
    return ids.map((id) => byText.get(String(id)) ?? null);
  });
}

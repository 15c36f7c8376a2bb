import type { Core } from '../core.js';
import { isDuplicate } from '../db/ids.js';

type Counting = Pick<Core, 'models' | 'config'> & { clock: Pick<Core['clock'], 'now'> };

/** Begins the ids of the counts; the day follows. */
const DAYS = 'analyses:';

/**
 * Counts one call of the model server, for all workers together. Returns false when the calls of the day (UTC) are used
 * up. MongoDB counts, so that a restart and an empty Redis change nothing.
 */
export async function takeCall({ models, config, clock }: Counting): Promise<boolean> {
  const at = clock.now();
  const _id = `${DAYS}${at.toISOString().slice(0, 10)}`;
  const free = { _id, count: { $lt: config.ai.maxCallsPerDay } };
  const count = { $inc: { count: 1 }, $set: { at } };
  const counted = await models.Counter.updateOne(free, count);
  if (counted.matchedCount === 1) return true;
  try {
    await models.Counter.create([{ _id, count: 1, at }]);
    await models.Counter.deleteMany({ _id: { $gte: DAYS, $lt: _id } });
    return true;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  // Another worker has made the day's record meanwhile, or its calls are used up.
  return (await models.Counter.updateOne(free, count)).matchedCount === 1;
}

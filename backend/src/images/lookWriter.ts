import type { Core } from '@lightbox/core/core.js';
import { grouped } from '@lightbox/core/db/group.js';
import { isDuplicate } from '@lightbox/core/db/ids.js';
import { onOne } from '@lightbox/core/db/onOne.js';
import type { LookDoc } from '@lightbox/core/models/look.js';

/**
 * Returns a function that begins looks or moves their ends. Those that come together share a write. A count that a failover
 * loses is one entry in the log more, or a smaller count.
 */
export const createLookWriter = ({ models }: Pick<Core, 'models'>): ((look: LookDoc) => Promise<void>) =>
  grouped(async (looks) => {
    const writes = looks.map(({ _id, until, ...rest }) => ({
      updateOne: { filter: { _id }, update: { $set: { until }, $setOnInsert: rest }, upsert: true },
    }));
    await models.Look.bulkWrite(writes, { ordered: false, ...onOne }).catch((error) => {
      // Another tab has opened it at the same time.
      if (!isDuplicate(error)) throw error;
    });
    return looks.map(() => undefined);
  });

/**
 * Returns a function that counts a read in the looks with these ids; false when there are none. Reads of one look that
 * come together share a write.
 */
export const createFrameCounter = ({ models }: Pick<Core, 'models'>): ((ids: string[]) => Promise<boolean>) =>
  grouped(async (reads) => {
    const among = new Map<string, { ids: string[]; count: number }>();
    for (const ids of reads) among.set(ids.join(), { ids, count: (among.get(ids.join())?.count ?? 0) + 1 });
    const counted = new Map(
      await Promise.all(
        [...among].map(async ([key, { ids, count }]) => {
          const { matchedCount } = await models.Look.updateOne(
            { _id: { $in: ids } },
            { $inc: { reads: count } },
            onOne,
          );
          return [key, matchedCount > 0] as const;
        }),
      ),
    );
    return reads.map((ids) => counted.get(ids.join()) ?? false);
  });

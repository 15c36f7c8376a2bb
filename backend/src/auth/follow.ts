import type { Core } from '@lightbox/core/core.js';
import type { mongo } from 'mongoose';
import type { Recent } from './recent.js';

/** Milliseconds that MongoDB waits for a change before it answers that there was none. */
const WAIT_MS = 150;
/** Milliseconds until the next try after a fault. */
const RETRY_MS = 1_000;

interface Reply {
  cursor: { id: mongo.Long; firstBatch?: Change[]; nextBatch?: Change[] };
}

/** A change, with the id of its record; without one the whole collection changed. */
interface Change {
  documentKey?: { _id: mongo.ObjectId };
}

/**
 * Matches changes that say only that a session was active. A kept session that seems idle is read anew, so they may be
 * missed.
 */
const activity = (since: Date) => ({
  'updateDescription.updatedFields.lastSeenAt': { $gt: since },
  'updateDescription.updatedFields.endedAt': { $exists: false },
});

const listOf = (field: string) => ({ $ifNull: [`$updateDescription.${field}`, []] });
/** The fields that an update changed. */
const changed = {
  $concatArrays: [
    { $map: { input: { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } }, in: '$$this.k' } },
    listOf('removedFields'),
    listOf('truncatedArrays'),
  ],
};
/** Leaves out writes of transactions that only rely on the record (`core/src/access/hold.ts`). */
const notHeldOnly = { changed: { $ne: ['touched'] } };

/**
 * Follows the changes of sessions and accounts in MongoDB, whoever makes them, so that the gateway may use what it has
 * read for longer: as long as MongoDB says that nothing has changed. Every answer, also an empty one, contains all
 * changes that were acknowledged before its question. Returns the function that stops it.
 */
export function followAccounts({ db, models, clock, warn }: Core, recent: Recent): () => void {
  let stopped = false;
  const collections = [models.Session, models.User].map((model) => model.collection.collectionName);

  async function follow(): Promise<void> {
    const client = db.getClient();
    // A cursor belongs to one session.
    const session = client.startSession({ causalConsistency: false });
    // The id of a cursor does not fit into a number.
    const ask = (command: mongo.Document) =>
      client.db(db.name).command(command, { session, promoteLongs: false }) as unknown as Promise<Reply>;
    try {
      let { cursor } = await ask({
        aggregate: 1,
        pipeline: [
          { $changeStream: {} },
          { $match: { 'ns.coll': { $in: collections }, $nor: [activity(clock.now())] } },
          { $project: { documentKey: 1, changed } },
          { $match: notHeldOnly },
        ],
        cursor: {},
        readConcern: { level: 'majority' },
      });
      // Changes between the end of the last cursor and now were not heard.
      recent.forget();
      while (!stopped && !cursor.id.isZero()) {
        const asked = performance.now();
        ({ cursor } = await ask({ getMore: cursor.id, collection: '$cmd.aggregate', maxTimeMS: WAIT_MS }));
        for (const { documentKey } of cursor.nextBatch ?? []) recent.changed(documentKey && String(documentKey._id));
        recent.confirm(asked);
      }
    } finally {
      await session.endSession().catch(() => undefined);
    }
  }

  const goOn = (): void => {
    if (stopped) return;
    follow()
      .catch((error) => stopped || warn(error, 'changes of accounts are not followed; each call reads them'))
      .finally(() => setTimeout(goOn, RETRY_MS).unref());
  };
  goOn();
  return () => {
    stopped = true;
  };
}

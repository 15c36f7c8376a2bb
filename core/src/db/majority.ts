import type { Connection } from 'mongoose';

/** How long a write, the end of a transaction or `majorityHasAll` waits for a majority before its caller is told to come back. */
export const MAJORITY_MS = 10_000;

/**
 * Resolves when a majority has all that the primary has now, so that a read sees it and no failover takes it back. For
 * whoever met a record that a majority may not have yet: a unique index refuses a write because of it, and reads do not show it.
 */
export async function majorityHasAll(db: Connection): Promise<void> {
  const options = { readConcern: { level: 'linearizable' }, maxTimeMS: MAJORITY_MS } as const;
  await db.db?.collection('counters').findOne({}, options);
}

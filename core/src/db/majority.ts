import type { Connection } from 'mongoose';

/** Milliseconds that a write, a commit or `majorityHasAll` waits for a majority before it fails. */
export const MAJORITY_MS = 10_000;

/**
 * Resolves when a majority has everything that the primary has now. From then on reads see it and no failover undoes
 * it. Call it after a conflict with a record that a majority may not have yet: a unique index refuses a write because
 * of that record, and reads do not show it.
 */
export async function majorityHasAll(db: Connection): Promise<void> {
  const options = { readConcern: { level: 'linearizable' }, maxTimeMS: MAJORITY_MS } as const;
  await db.db?.collection('counters').findOne({}, options);
}

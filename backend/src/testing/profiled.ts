import type { Connection } from 'mongoose';

/** A command, as MongoDB's profiler describes it. */
export interface Profiled {
  op: string;
  ns: string;
  command: Record<string, unknown>;
  planSummary?: string;
  keysExamined?: number;
  docsExamined?: number;
  nreturned?: number;
  hasSortStage?: boolean;
}

/** The default holds the work of a few calls only. Bytes. */
const SIZE = 64 * 1024 * 1024;

/**
 * Returns the commands of a database during `work`, without the change stream of the accounts, which reads the writes of
 * all test files that run at the time.
 */
export async function profiled({ db }: Connection, work: () => PromiseLike<unknown>): Promise<Profiled[]> {
  if (!db) throw new Error('The database is not connected.');
  const profile = db.collection<Profiled>('system.profile');
  await profile.drop();
  await db.createCollection('system.profile', { capped: true, size: SIZE });
  await db.command({ profile: 2 });
  try {
    await work();
  } finally {
    await db.command({ profile: 0 });
  }
  return profile.find({ 'command.profile': { $exists: false }, ns: { $not: /\.\$cmd\.aggregate$/ } }).toArray();
}

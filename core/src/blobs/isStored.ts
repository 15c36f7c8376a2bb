import type { ClientSession } from 'mongoose';
import type { Core } from '../core.js';
import { MINUTE_MS } from '../times.js';
import type { WrittenBlob } from './store.js';

/** Maintenance takes a blob of an hour without a record for abandoned. */
const OLD_MS = 30 * MINUTE_MS;

/**
 * True when all chunks of a blob still exist. Called in the transaction that writes its record, after its first command. A
 * blob that seems old may have been taken for abandoned: the clock of MongoDB was set forward since, or this process stood
 * still.
 */
export async function isStored(
  { blobs, models, clock }: Pick<Core, 'blobs' | 'models' | 'clock'>,
  written: WrittenBlob,
  session: ClientSession,
): Promise<boolean> {
  const { id, chunks } = written;
  if (!(await blobs.confirm(written, session))) return false;
  if (clock.now().getTime() - id.getTimestamp().getTime() < OLD_MS) return true;
  // The order matters: a blob that is listed after this look is looked for again before it is removed.
  if (await models.Tombstone.exists({ _id: id }).session(session)) return false;
  return (await blobs.countChunks(id)) >= chunks;
}

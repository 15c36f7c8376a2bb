import { access } from 'node:fs/promises';
import type { AuditRemark } from '@lightbox/contract/audit/faults.js';
import type { mongo } from 'mongoose';
import type { Core } from '../core.js';
import { newId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { isSame } from '../keys/isSame.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { Models } from '../models/models.js';
import { Refused } from '../process/refused.js';
import { DAY_MS } from '../times.js';
import { readArchive, writeArchive } from './archiveFile.js';
import { type Base, keepBase, readBase } from './base.js';
import { appendDrafts } from './chain.js';
import { GENESIS, remark } from './entry.js';
import { newestEntry } from './head.js';
import { verifyAudit } from './verify.js';

const BATCH = 500;
const ARCHIVED: AuditRemark = 'ARCHIVED';

export interface Archived {
  /** Entries that this run archived. */
  entries: number;
  /** The last archived entry; 0 when there is none. */
  upTo: number;
  /** Entries that this run removed from the database, leftovers of an interrupted run included. */
  removed: number;
}

/**
 * Moves the entries that are older than `retention.auditDays` to a file, the oldest first and without a hole. The file is
 * read back before a signed base replaces the entries, and they are removed last. A stop at any moment does no harm: the
 * same command with the same file continues.
 */
export async function archiveAudit(core: Core, to: string, signal: AbortSignal): Promise<Archived> {
  const { models, keys, clock, settings } = core;
  await refuseWithoutRight(core);
  const days = await settings.get('retention.auditDays');
  if (days === 0)
    throw new Refused(
      'The setting retention.auditDays is 0: the audit log is kept without end, and nothing is archived.',
    );
  const { reason, firstBroken } = await verifyAudit(models, keys.audit);
  if (reason && reason !== 'foreign' && reason !== 'gap')
    throw new Refused(`The audit log is broken at entry ${firstBroken} (${reason}). Nothing is archived.`);
  const before = await readBase(models, keys.audit);
  const limit = new Date(clock.now().getTime() - days * DAY_MS);
  const base = (await nextBase(core, to, before, { limit, signal })) ?? before;
  signal.throwIfAborted();
  if (!base) return { entries: 0, upTo: 0, removed: 0 };
  const isNew = base.seq !== before?.seq;
  if (isNew && !(await keepBase(models, keys.audit, before, base)))
    throw new Refused('Another run has archived entries meanwhile. Nothing is removed; delete the file of this run.');
  await note(core, base);
  const removed = await removeArchived(core, base, signal);
  if (!base.removed) await keepBase(models, keys.audit, base, { ...base, removed: true });
  return { entries: isNew ? base.seq - base.from + 1 : 0, upTo: base.seq, removed };
}

/** MongoDB's code of an account that may not do it. */
const UNAUTHORIZED = 13;

/** The product's own account may not remove entries. Finds out before the first step, and not after the base was stored. */
async function refuseWithoutRight({ models }: Core): Promise<void> {
  try {
    await models.AuditEntry.deleteOne({ _id: newId() });
  } catch (error) {
    if ((error as mongo.MongoServerError).code !== UNAUTHORIZED) throw error;
    throw new Refused(
      'This account of MongoDB may not remove entries of the audit log. Give an account that may by MONGODB_URI ' +
        '(docs/operations/retention.md). Nothing is archived.',
    );
  }
}

interface Until {
  /** Entries from this moment on stay. */
  limit: Date;
  signal: AbortSignal;
}

/** Writes the file; or takes that of a run which was stopped before it stored its base. Null: nothing is old enough. */
async function nextBase({ models, keys }: Core, to: string, before: Base | null, until: Until): Promise<Base | null> {
  const { limit } = until;
  const after = before ?? { seq: 0, hash: GENESIS };
  const there = await access(to).then(
    () => true,
    () => false,
  );
  if (there) {
    const { after: follows, ...end } = await readArchive(to, keys.audit, before?.found);
    if (before && end.seq === before.seq && isSame(end.hash, before.hash)) return null;
    const entry = await models.AuditEntry.findOne({ seq: end.seq }).readConcern(NEWEST).lean<AuditEntryDoc>();
    const continues = follows.seq === after.seq && isSame(follows.hash, after.hash) && isSame(end.hash, entry?.hash);
    if (!continues || end.until >= limit) throw new Refused(`${to} is there already. Name a new file.`);
    return { ...end, removed: false };
  }
  const newest = await newestEntry(models);
  const first = await models.AuditEntry.findOne({ seq: after.seq + 1 })
    .readConcern(NEWEST)
    .lean<AuditEntryDoc>();
  if (!newest || !first || first.at >= limit || first.seq === newest.seq) return null;
  const entries = oldEntries(models, after.seq, newest.seq, until);
  const { after: _, ...end } = await writeArchive(to, keys.audit, after, entries).catch(async (error) => {
    // The other run removes the entries that this one reads.
    if ((await readBase(models, keys.audit))?.seq !== before?.seq)
      throw new Refused('Another run has archived entries meanwhile. Nothing is removed.');
    throw error;
  });
  return { ...end, removed: false };
}

/** Reads the entries up to the first one that is not old enough. The newest entry always stays. */
async function* oldEntries(models: Models, after: number, newest: number, until: Until) {
  const entries = models.AuditEntry.collection
    .find<AuditEntryDoc>({ seq: { $gt: after, $lt: newest } }, { readConcern: { level: NEWEST } })
    .sort({ seq: 1 });
  for await (const entry of entries) {
    until.signal.throwIfAborted();
    if (entry.at >= until.limit) return;
    yield entry;
  }
}

/** Adds the entry about this archive, once. */
async function note({ models, keys, clock }: Core, { seq, from }: Base): Promise<void> {
  const draft = {
    ...remark('audit.archived', clock.now(), ARCHIVED, String(seq)),
    reason: `${ARCHIVED}: ${seq - from + 1} entries, ${from} to ${seq}`,
  };
  await appendDrafts(models, keys.audit, [draft], clock.now());
}

async function removeArchived({ models }: Core, base: Base, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (;;) {
    signal.throwIfAborted();
    const batch = await models.AuditEntry.find({ seq: { $gte: 1, $lte: base.seq } }, { _id: 1 })
      .sort({ seq: 1 })
      .limit(BATCH)
      .lean();
    if (batch.length === 0) return removed;
    const { deletedCount } = await models.AuditEntry.deleteMany({ _id: { $in: batch.map(({ _id }) => _id) } });
    removed += deletedCount;
  }
}

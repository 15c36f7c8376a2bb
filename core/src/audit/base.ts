import { isDuplicate } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { isSigned, type KeyRing, sign } from '../keys/keyring.js';
import type { AuditHeadDoc } from '../models/auditHead.js';
import type { Models } from '../models/models.js';
import type { Checkpoint } from './head.js';

const BASE = 'base';

/** The last entry that was archived. The log in the database begins after it. */
export interface Base extends Checkpoint {
  /** The number of the first entry that this archive holds. */
  from: number;
  /** The time of the latest archived act. Events that are not newer are no longer accepted: they may be copies. */
  until: Date;
  /** True when no archived entry is left in the database. */
  removed: boolean;
}

const partsOf = ({ seq, hash, found, from, until, removed }: Base) => [
  ...[BASE, String(seq), hash, found ? `${found.seq}:${found.fault}` : ''],
  ...[String(from), until.toISOString(), String(removed)],
];

/** Returns the stored base; `genuine` only when a key of the ring signed it. Null while nothing was archived. */
export async function readBase(models: Models, ring: KeyRing): Promise<(Base & { genuine: boolean }) | null> {
  const kept = await models.AuditHead.findById(BASE).readConcern(NEWEST).lean<AuditHeadDoc>();
  if (!kept) return null;
  const { seq, hash, found, from = 0, until = new Date(0), removed = false } = kept;
  const base: Base = { seq, hash, ...(found ? { found } : {}), from, until, removed };
  return { ...base, genuine: isSigned(ring, kept, ...partsOf(base)) };
}

/** Stores a base in the place of the one before. Returns false when another process has stored one meanwhile. */
export async function keepBase(models: Models, ring: KeyRing, before: Base | null, base: Base): Promise<boolean> {
  const { seq, hash, found, from, until, removed } = base;
  const kept = { seq, hash, from, until, removed, ...sign(ring, ...partsOf(base)), ...(found ? { found } : {}) };
  try {
    const { matchedCount, upsertedCount } = await models.AuditHead.updateOne(
      { _id: BASE, ...(before ? { seq: before.seq, hash: before.hash } : { seq: -1 }) },
      { $set: kept },
      { upsert: before === null },
    );
    return matchedCount + upsertedCount === 1;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** True when the first entries of the log were archived, or are gone: such a log did not begin in this moment. */
export async function beganEarlier(models: Models): Promise<boolean> {
  if (await models.AuditHead.exists({ _id: BASE }).readConcern(NEWEST)) return true;
  const [first, any] = await Promise.all([
    models.AuditEntry.exists({ seq: 1 }).readConcern(NEWEST),
    models.AuditEntry.exists({ type: 'audit.archived' }).readConcern(NEWEST),
  ]);
  return first === null && any !== null;
}

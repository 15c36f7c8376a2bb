import type { ObjectId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { KeyRing } from '../keys/keyring.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { Models } from '../models/models.js';
import { readBase } from './base.js';
import { GENESIS, isWhole } from './entry.js';

interface InLog {
  /** Events that a worker logged. */
  logged: Set<string>;
  /** Events that are named by an entry that no worker made. */
  forged: Set<string>;
  /** Events whose entry cannot be judged while the entry before it is missing. */
  open: Set<string>;
}

/**
 * Sorts the events by their state in the log. Only a genuine entry counts: otherwise a writer of the database could
 * keep an event out with a forged entry, and could remove that entry again afterwards.
 */
export async function inLog(models: Models, ring: KeyRing, events: ObjectId[]): Promise<InLog> {
  const entries = await models.AuditEntry.find({ event: { $in: events } })
    .readConcern(NEWEST)
    .lean<AuditEntryDoc[]>();
  const hashes = await hashesAt(
    models,
    ring,
    entries.map(({ seq }) => seq - 1),
  );
  const found: InLog = { logged: new Set(), forged: new Set(), open: new Set() };
  for (const entry of entries) {
    const previous = hashes.get(entry.seq - 1);
    const kind = previous === undefined ? 'open' : isWhole(ring, previous, entry) ? 'logged' : 'forged';
    for (const event of [entry.event].flat()) found[kind].add(String(event));
  }
  return found;
}

async function hashesAt(models: Models, ring: KeyRing, places: number[]): Promise<Map<number, string>> {
  const there = places.filter((seq) => Number.isInteger(seq) && seq > 0);
  const before =
    there.length === 0
      ? []
      : await models.AuditEntry.find({ seq: { $in: there } }, { _id: 0, seq: 1, hash: 1 })
          .readConcern(NEWEST)
          .lean<AuditEntryDoc[]>();
  const base = await readBase(models, ring);
  const archived = base?.genuine ? [[base.seq, base.hash] as const] : [];
  return new Map([[0, GENESIS], ...archived, ...before.map(({ seq, hash }) => [seq, hash] as const)]);
}

import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { AuditFault, AuditStart } from '@lightbox/contract/audit/faults.js';
import { NEWEST } from '../db/newest.js';
import { isSame } from '../keys/isSame.js';
import type { KeyRing } from '../keys/keyring.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { AuditHeadDoc } from '../models/auditHead.js';
import type { Models } from '../models/models.js';
import { beganEarlier, readBase } from './base.js';
import { GENESIS, isWhole, reports } from './entry.js';
import { type Checkpoint, type Head, keepCheckpoint, readCheckpoint, readHead, rememberedHead } from './head.js';

/** Entries per batch, and the longest time that they may block the process, milliseconds. */
const BATCH = 100;
const TURN_MS = 3;

export interface Verdict {
  ok: boolean;
  checked: number;
  firstBroken?: number;
  reason?: AuditFault;
}

interface Options {
  since?: AuditStart;
  /** Heads that were noted outside the database: in the service's log, or in an anchor. */
  noted?: Head[];
}

const running = new WeakMap<Models, Map<AuditStart, Promise<Verdict>>>();

/**
 * Recomputes the chain and names the first entry that was changed, is missing or is in the wrong place. It detects
 * missing newest entries by the stored head, the noted heads and the head that this process remembers. If all entries
 * are whole, it names the first one that reports a foreign or a missing event. A call during a run gets the result of
 * that run.
 */
export function verifyAudit(
  models: Models,
  ring: KeyRing,
  { since = 'start', noted = [] }: Options = {},
): Promise<Verdict> {
  const byStart = running.get(models) ?? new Map<AuditStart, Promise<Verdict>>();
  running.set(models, byStart);
  const current = byStart.get(since);
  if (current) return current;
  const made = verify(models, ring, since, noted).finally(() => byStart.get(since) === made && byStart.delete(since));
  byStart.set(since, made);
  return made;
}

/** Verifies again when entries were archived meanwhile. */
async function verify(models: Models, ring: KeyRing, since: AuditStart, noted: Head[]): Promise<Verdict> {
  const base = await readBase(models, ring);
  const verdict = await verifyFrom(models, ring, { since, noted, base });
  if (verdict.ok) return verdict;
  const now = await readBase(models, ring);
  const moved = now?.seq !== base?.seq || now?.removed !== base?.removed;
  return moved ? verify(models, ring, since, noted) : verdict;
}

interface From {
  since: AuditStart;
  noted: Head[];
  base: Awaited<ReturnType<typeof readBase>>;
}

async function verifyFrom(models: Models, ring: KeyRing, { since, noted, base }: From): Promise<Verdict> {
  // Read the head first: entries that are appended meanwhile make the chain longer than its head, never shorter.
  const kept = await readHead(models, ring);
  const remembered = rememberedHead(models);
  const heads = [...(kept?.genuine ? [kept] : []), ...(remembered ? [remembered] : []), ...noted];
  const start = since === 'checkpoint' ? await checkpointOf(models, ring) : null;
  let at: Checkpoint = start ?? (base?.genuine ? pick(base) : { seq: 0, hash: GENESIS });
  const broken = (firstBroken: number, reason: AuditFault): Verdict => ({
    ok: false,
    checked: at.seq,
    firstBroken,
    reason,
  });
  const contradicts = ({ seq, hash }: Head) => heads.some((head) => head.seq === seq && !isSame(head.hash, hash));
  if (base ? !base.genuine : await beganEarlier(models)) return broken(1, 'base');
  if (base && contradicts(base)) return broken(base.seq, 'base');
  const entries = models.AuditEntry.collection
    // No filter when reading from the start: an entry that was planted with a place before the first, or with none, is
    // read too.
    .find<AuditEntryDoc>(start ? { seq: { $gt: start.seq } } : {}, { readConcern: { level: NEWEST } })
    .sort({ seq: 1 })
    .batchSize(BATCH);
  let turn = performance.now();
  // Through the driver: twice as fast as Mongoose, and each entry can be freed on its own.
  for await (const entry of entries) {
    // A removal was interrupted; the next run ends it. The archive has these entries.
    if (base && !base.removed && isLeftover(entry, base)) continue;
    if (entry.seq !== at.seq + 1) return broken(at.seq + 1, 'missing');
    if (!isWhole(ring, at.hash, entry)) return broken(entry.seq, 'changed');
    if (contradicts(entry)) return broken(entry.seq, 'head');
    const fault = reports[entry.type];
    const found = at.found ?? (fault ? { seq: entry.seq, fault } : undefined);
    at = { seq: entry.seq, hash: entry.hash, ...(found ? { found } : {}) };
    if (performance.now() - turn < TURN_MS) continue;
    await setImmediate();
    turn = performance.now();
  }
  if (kept && !kept.genuine) return broken(Math.min(kept.seq, at.seq + 1), 'head');
  if (heads.some(({ seq }) => seq > at.seq)) return broken(at.seq + 1, 'missing');
  // A log that began during this run has its head by now.
  if (at.seq > 0 && !kept && !(await readHead(models, ring))) return broken(at.seq + 1, 'head');
  await keepCheckpoint(models, ring, at);
  const { found } = at;
  return found
    ? { ok: false, checked: at.seq, firstBroken: found.seq, reason: found.fault }
    : { ok: true, checked: at.seq };
}

const isLeftover = ({ seq }: AuditEntryDoc, base: Head) => Number.isInteger(seq) && seq >= 1 && seq <= base.seq;

/** Returns the checkpoint; null when its entry is no longer the same, so that everything is read. */
async function checkpointOf(models: Models, ring: KeyRing): Promise<Checkpoint | null> {
  const kept = await readCheckpoint(models, ring);
  if (!kept) return null;
  const entry = await models.AuditEntry.findOne({ seq: kept.seq }).readConcern(NEWEST).lean<AuditEntryDoc>();
  return isSame(kept.hash, entry?.hash) ? pick(kept) : null;
}

const pick = ({ seq, hash, found }: Checkpoint | AuditHeadDoc): Checkpoint => ({
  ...{ seq, hash },
  ...(found ? { found } : {}),
});

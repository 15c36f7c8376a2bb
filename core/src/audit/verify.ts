import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { AuditFault, AuditStart } from '@lightbox/contract/audit/faults.js';
import { NEWEST } from '../db/newest.js';
import { isSame } from '../keys/isSame.js';
import type { KeyRing } from '../keys/keyring.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { AuditHeadDoc } from '../models/auditHead.js';
import type { Models } from '../models/models.js';
import { GENESIS, isWhole } from './entry.js';
import { type Checkpoint, type Head, keepCheckpoint, readCheckpoint, readHead, rememberedHead } from './head.js';

/** Entries that are fetched together, and the longest that a process is held by them, milliseconds. */
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
  /** Heads that were kept elsewhere: in the service's log, or an anchor. */
  noted?: Head[];
}

const running = new WeakMap<Models, Map<AuditStart, Promise<Verdict>>>();

/**
 * Recomputes the chain and names the first entry that was changed, is missing or stands elsewhere, also when the newest
 * are missing, which the kept head, noted ones and the one that this process remembers tell; or else the first entry that
 * reports a foreign or a missing event. Whoever asks while it runs gets the same answer.
 */
export function verifyAudit(
  models: Models,
  ring: KeyRing,
  { since = 'start', noted = [] }: Options = {},
): Promise<Verdict> {
  const byStart = running.get(models) ?? new Map<AuditStart, Promise<Verdict>>();
  running.set(models, byStart);
  const known = byStart.get(since);
  if (known) return known;
  const made = verify(models, ring, since, noted).finally(() => byStart.get(since) === made && byStart.delete(since));
  byStart.set(since, made);
  return made;
}

const reports: Partial<Record<AuditEntryDoc['type'], AuditFault>> = {
  'audit.foreign': 'foreign',
  'audit.gap': 'gap',
};

async function verify(models: Models, ring: KeyRing, since: AuditStart, noted: Head[]): Promise<Verdict> {
  // Read first: what is appended meanwhile makes the chain longer than its head, and never shorter.
  const kept = await readHead(models, ring);
  const remembered = rememberedHead(models);
  const heads = [...(kept?.genuine ? [kept] : []), ...(remembered ? [remembered] : []), ...noted];
  const start = since === 'checkpoint' ? await checkpointOf(models, ring) : null;
  let at: Checkpoint = start ?? { seq: 0, hash: GENESIS };
  const broken = (firstBroken: number, reason: AuditFault): Verdict => ({
    ok: false,
    checked: at.seq,
    firstBroken,
    reason,
  });
  const contradicts = ({ seq, hash }: Head) => heads.some((head) => head.seq === seq && !isSame(head.hash, hash));
  const entries = models.AuditEntry.collection
    // From the start no filter: an entry that was put in with a place before the first, or none, is read too.
    .find(start ? { seq: { $gt: start.seq } } : {}, { readConcern: { level: NEWEST } })
    .sort({ seq: 1 })
    .batchSize(BATCH);
  let turn = performance.now();
  // Past Mongoose: twice as fast, and each entry is its own to free.
  for await (const entry of entries as unknown as AsyncIterable<AuditEntryDoc>) {
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
  // A log that began meanwhile has its head by now.
  if (at.seq > 0 && !kept && !(await readHead(models, ring))) return broken(at.seq + 1, 'head');
  await keepCheckpoint(models, ring, at);
  const { found } = at;
  return found
    ? { ok: false, checked: at.seq, firstBroken: found.seq, reason: found.fault }
    : { ok: true, checked: at.seq };
}

/** Null when the entry it stands for is no longer the same: then all is read. */
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

import { isDuplicate, newId } from '../db/ids.js';
import { hmac, type KeyRing } from '../keys/keyring.js';
import type { Models } from '../models/models.js';
import type { AuditEntryDoc, EventDoc } from '../models/types.js';
import { type Head, keepHead, readHead } from './head.js';

const BATCH = 500;
/** What the first entry follows. */
export const GENESIS = '0'.repeat(64);

/** HMAC over the entry before and every field of this one that must not change; ids only, never names. */
export function hashOf(
  ring: KeyRing,
  previous: string,
  entry: Omit<AuditEntryDoc, '_id' | 'hash' | 'concerns'>,
): string {
  const key = ring.find(entry.keyId);
  if (!key) throw new Error(`No key '${entry.keyId}' to check the audit chain with.`);
  return hmac(
    key.key,
    JSON.stringify([
      previous,
      entry.seq,
      String(entry.event),
      entry.type,
      entry.status,
      entry.actor ? String(entry.actor) : null,
      entry.table,
      entry.record ? String(entry.record) : null,
      (entry.records ?? []).map(String),
      (entry.owners ?? []).map(String),
      entry.ip,
      entry.reason,
      entry.at.toISOString(),
    ]),
  ).toString('hex');
}

/**
 * Appends every event that is not yet in the log. Any number of processes may do so at once: `seq` and `event` are
 * unique, so of two that race for the next place one loses, reads the head again and goes on. One that was frozen and
 * wakes cannot fork the chain. `told` hears of each batch that was appended here.
 */
export async function appendAudit(
  models: Models,
  ring: KeyRing,
  told: (entries: AuditEntryDoc[]) => Promise<void> = async () => undefined,
): Promise<number> {
  let appended = 0;
  for (;;) {
    const events = await models.Event.find({ unaudited: true }).sort({ _id: 1 }).limit(BATCH).lean<EventDoc[]>();
    if (events.length === 0) return appended;
    try {
      const entries = await appendBatch(models, ring, events);
      appended += entries.length;
      await told(entries);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }
}

async function appendBatch(models: Models, ring: KeyRing, events: EventDoc[]): Promise<AuditEntryDoc[]> {
  const known = await models.AuditEntry.find({ event: { $in: events.map((e) => e._id) } }, { event: 1 }).lean();
  const done = new Set(known.map((entry) => String(entry.event)));
  const head = await newest(models, ring);
  let seq = head?.seq ?? 0;
  let previous = head?.hash ?? GENESIS;
  const entries = events
    .filter((event) => !done.has(String(event._id)))
    .map((event) => {
      const entry = entryOf(ring, event, ++seq, previous);
      previous = entry.hash;
      return entry;
    });
  if (entries.length > 0) {
    await models.AuditEntry.insertMany(entries, { lean: true, ordered: true });
    await keepHead(models, ring, { seq, hash: previous });
  }
  await models.Event.updateMany({ _id: { $in: events.map((e) => e._id) } }, { $set: { unaudited: false } });
  return entries;
}

/**
 * What the next entry follows. When the newest were cut off that is the kept head, so that the gap stays where it is and
 * new entries do not close it.
 */
async function newest(models: Models, ring: KeyRing): Promise<Head | null> {
  const last = await models.AuditEntry.findOne().sort({ seq: -1 }).lean<AuditEntryDoc>();
  const kept = await readHead(models, ring);
  return kept?.genuine && kept.seq > (last?.seq ?? 0) ? kept : last;
}

function entryOf(ring: KeyRing, event: EventDoc, seq: number, previous: string): AuditEntryDoc {
  const entry = {
    seq,
    event: event._id,
    type: event.type,
    status: event.status,
    ...(event.actor ? { actor: event.actor } : {}),
    table: event.table,
    ...(event.record ? { record: event.record } : {}),
    ...(event.records ? { records: event.records } : {}),
    ...(event.owners ? { owners: event.owners } : {}),
    ip: event.ip,
    reason: event.reason,
    at: event.at,
    keyId: ring.current.id,
  };
  return { _id: newId(), ...entry, hash: hashOf(ring, previous, entry), concerns: concernsOf(event) };
}

/** In whose log an entry is: the actor's and the owners'. */
const concernsOf = ({ actor, owners = [] }: Pick<EventDoc, 'actor' | 'owners'>) => [
  ...(actor ? [actor] : []),
  ...owners,
];

function isWhole(ring: KeyRing, previous: string, entry: AuditEntryDoc): boolean {
  if (!ring.find(entry.keyId) || hashOf(ring, previous, entry) !== entry.hash) return false;
  // Not in the hash, but made of what is: an entry must not be hidden from those it concerns.
  return String(entry.concerns) === String(concernsOf(entry));
}

export interface Verdict {
  ok: boolean;
  checked: number;
  firstBroken?: number;
}

/**
 * Recomputes the chain from its start and names the first entry that was changed, is missing or stands elsewhere; also
 * when the newest are missing, which the kept head tells. `noted` is a head that was kept elsewhere, in the service's log.
 */
export async function verifyAudit(models: Models, ring: KeyRing, noted?: Head): Promise<Verdict> {
  // Read first: what is appended meanwhile makes the chain longer than its head, and never shorter.
  const kept = await readHead(models, ring);
  let previous = GENESIS;
  let checked = 0;
  const broken = (firstBroken: number): Verdict => ({ ok: false, checked, firstBroken });
  for await (const entry of models.AuditEntry.find().sort({ seq: 1 }).lean<AuditEntryDoc[]>().cursor()) {
    if (entry.seq !== checked + 1) return broken(checked + 1);
    if (!isWhole(ring, previous, entry)) return broken(entry.seq);
    if ([kept, noted].some((head) => head?.seq === entry.seq && head.hash !== entry.hash)) return broken(entry.seq);
    previous = entry.hash;
    checked++;
  }
  if (kept && !kept.genuine) return broken(Math.min(kept.seq, checked + 1));
  return [kept, noted].some((head) => head && head.seq > checked) ? broken(checked + 1) : { ok: true, checked };
}

import { isDuplicate, newId } from '../db/ids.js';
import { hmac, type KeyRing } from '../keys/keyring.js';
import type { Models } from '../models/models.js';
import type { AuditEntryDoc, EventDoc } from '../models/types.js';

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
  const head = await models.AuditEntry.findOne().sort({ seq: -1 }).lean<AuditEntryDoc>();
  let seq = head?.seq ?? 0;
  let previous = head?.hash ?? GENESIS;
  const entries = events
    .filter((event) => !done.has(String(event._id)))
    .map((event) => {
      const entry = entryOf(ring, event, ++seq, previous);
      previous = entry.hash;
      return entry;
    });
  if (entries.length > 0) await models.AuditEntry.insertMany(entries, { lean: true, ordered: true });
  await models.Event.updateMany({ _id: { $in: events.map((e) => e._id) } }, { $set: { unaudited: false } });
  return entries;
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

/** Recomputes the chain from its start and names the first entry that was changed, is missing or stands elsewhere. */
export async function verifyAudit(
  models: Models,
  ring: KeyRing,
): Promise<{ ok: boolean; checked: number; firstBroken?: number }> {
  let previous = GENESIS;
  let checked = 0;
  for await (const entry of models.AuditEntry.find().sort({ seq: 1 }).lean<AuditEntryDoc[]>().cursor()) {
    if (entry.seq !== checked + 1) return { ok: false, checked, firstBroken: checked + 1 };
    if (!isWhole(ring, previous, entry)) return { ok: false, checked, firstBroken: entry.seq };
    previous = entry.hash;
    checked++;
  }
  return { ok: true, checked };
}

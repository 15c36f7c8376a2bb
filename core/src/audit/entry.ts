import { createHash } from 'node:crypto';
import { auditActions } from '@lightbox/contract/audit/actions.js';
import type { AuditRemark } from '@lightbox/contract/audit/faults.js';
import { newId, type ObjectId, oid } from '../db/ids.js';
import { isSame } from '../keys/isSame.js';
import { hmac, isSigned, type KeyRing, sign } from '../keys/keyring.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { EventDoc } from '../models/event.js';
import type { Head } from './head.js';

/** An entry before it has its place in the log. */
export type Draft = Omit<AuditEntryDoc, '_id' | 'seq' | 'keyId' | 'hash' | 'concerns'>;

/** The hash that the first entry follows. */
export const GENESIS = '0'.repeat(64);

/** Everything that is recorded of an act and must not change; ids only, never names. */
const factsOf = (of: Omit<Draft, 'event'>) => [
  of.type,
  of.status,
  of.actor ? String(of.actor) : null,
  of.table,
  of.record ? String(of.record) : null,
  (of.records ?? []).map(String),
  (of.owners ?? []).map(String),
  of.ip,
  of.reason,
  of.at.toISOString(),
];

/** HMAC over the entry before and every fact of this one. */
export function hashOf(
  ring: KeyRing,
  previous: string,
  entry: Omit<AuditEntryDoc, '_id' | 'hash' | 'concerns'>,
): string {
  const key = ring.find(entry.keyId);
  if (!key) throw new Error(`No key '${entry.keyId}' to check the audit chain with.`);
  return hmac(key.key, JSON.stringify([previous, entry.seq, String(entry.event), ...factsOf(entry)])).toString('hex');
}

/** In whose log an entry is: the actor's and the owners'. */
const concernsOf = ({ actor, owners = [] }: Pick<Draft, 'actor' | 'owners'>) => [...(actor ? [actor] : []), ...owners];

/** The entry that follows `previous`. */
export function place(ring: KeyRing, draft: Draft, previous: Head): AuditEntryDoc {
  const entry = { seq: previous.seq + 1, ...draft, keyId: ring.current.id };
  return { _id: newId(), ...entry, hash: hashOf(ring, previous.hash, entry), concerns: concernsOf(draft) };
}

export function isWhole(ring: KeyRing, previous: string, entry: AuditEntryDoc): boolean {
  try {
    if (!ring.find(entry.keyId) || !isSame(hashOf(ring, previous, entry), entry.hash)) return false;
    // The hash is over their text: an id that was turned into text is found by nobody who looks for it.
    if (!idsOf(entry).every(isObjectId)) return false;
    // Not in the hash, but made of what is: an entry must not be hidden from those it concerns.
    return String(entry.concerns) === String(concernsOf(entry));
  } catch {
    // A field of another type.
    return false;
  }
}

const idsOf = ({ event, actor, record, records = [], owners = [], concerns }: AuditEntryDoc) => [
  ...[event, ...(actor ? [actor] : []), ...(record ? [record] : [])],
  ...[...records, ...owners, ...concerns],
];

/** The key that signs events: derived for this alone. */
const eventKeys = (audit: KeyRing): KeyRing => audit.derive('events');
const signedParts = (event: EventDoc) => ['event', JSON.stringify([String(event._id), ...factsOf(event)])];

/** Signed where it is made: the log takes no other. */
export const signEvent = (audit: KeyRing, event: EventDoc): EventDoc => ({
  ...event,
  ...sign(eventKeys(audit), ...signedParts(event)),
});

function isGenuine(audit: KeyRing, event: EventDoc): boolean {
  try {
    return isSigned(eventKeys(audit), event, ...signedParts(event));
  } catch {
    return false;
  }
}

/** Ids as ids, so that a genuine event whose ids were turned into text is found by them all the same. */
const ids = (all: ObjectId[]) => all.map((id) => oid(String(id)));

function draftOf(event: EventDoc): Draft {
  return {
    event: event._id,
    type: event.type,
    status: event.status,
    ...(event.actor ? { actor: oid(String(event.actor)) } : {}),
    table: event.table,
    ...(event.record ? { record: oid(String(event.record)) } : {}),
    ...(event.records ? { records: ids(event.records) } : {}),
    ...(event.owners ? { owners: ids(event.owners) } : {}),
    ip: event.ip,
    reason: event.reason,
    at: event.at,
  };
}

/** The log takes an event's facts if a process of the product signed it, and else only that it was there. */
export function judge(audit: KeyRing, event: EventDoc, now: Date, takesUnsigned: boolean): Draft {
  const unsigned = event.mac === undefined && event.at instanceof Date;
  if (isGenuine(audit, event) || (unsigned && takesUnsigned)) return draftOf(event);
  const id = isObjectId(event._id) ? event._id : markId('foreign', String(event._id));
  return { ...remark('audit.foreign', now, 'EVENT_FOREIGN'), event: id, record: id };
}

const isObjectId = (id: unknown): boolean => (id as { _bsontype?: string } | null)?._bsontype === 'ObjectId';

type Remark = 'audit.signed' | 'audit.foreign' | 'audit.gap';

/** A remark of the log itself; `mark` makes it the same entry for all who come upon it. */
export const remark = (type: Remark, now: Date, says: AuditRemark, ...mark: string[]): Draft => ({
  event: markId(type, says, ...mark),
  type,
  status: type === 'audit.signed' ? 'success' : 'failed',
  table: auditActions[type].table,
  ip: '',
  reason: says,
  at: now,
});

const markId = (...parts: string[]): ObjectId =>
  oid(createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 24));

import { createHash } from 'node:crypto';
import { auditActions } from '@lightbox/contract/audit/actions.js';
import type { AuditFault, AuditRemark } from '@lightbox/contract/audit/faults.js';
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

/** Returns every recorded fact of an act, which must not change. Ids only, never names. */
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
  // Last, and only when it is there: entries without a token have the facts that they always had.
  ...(of.token ? [String(of.token)] : []),
  // Named, so that it is never taken for a token.
  ...(of.node ? [`node ${of.node}`] : []),
  ...(of.more ? [Object.entries(of.more).sort()] : []),
];

/** Returns the HMAC over the hash of the previous entry and every fact of this one. */
function hashOf(ring: KeyRing, previous: string, entry: Omit<AuditEntryDoc, '_id' | 'hash' | 'concerns'>): string {
  const key = ring.find(entry.keyId);
  if (!key) throw new Error(`No key '${entry.keyId}' to check the audit chain.`);
  return hmac(key.key, JSON.stringify([previous, entry.seq, String(entry.event), ...factsOf(entry)])).toString('hex');
}

/** Returns the people in whose log an entry appears: the actor and the owners. */
const concernsOf = ({ actor, owners = [] }: Pick<Draft, 'actor' | 'owners'>) => [...(actor ? [actor] : []), ...owners];

/** Makes the entry that follows `previous`. */
export function place(ring: KeyRing, draft: Draft, previous: Head): AuditEntryDoc {
  const entry = { seq: previous.seq + 1, ...draft, keyId: ring.current.id };
  return { _id: newId(), ...entry, hash: hashOf(ring, previous.hash, entry), concerns: concernsOf(draft) };
}

export function isWhole(ring: KeyRing, previous: string, entry: AuditEntryDoc): boolean {
  try {
    if (!ring.find(entry.keyId) || !isSame(hashOf(ring, previous, entry), entry.hash)) return false;
    // The hash covers ids as text. Queries would not find an id that was turned into text.
    if (!idsOf(entry).every(isObjectId)) return false;
    // Not in the hash, but derived from fields that are: an entry must not be hidden from those it concerns.
    return String(entry.concerns) === String(concernsOf(entry));
  } catch {
    // A field has another type.
    return false;
  }
}

const idsOf = ({ event, actor, token, node, record, records = [], owners = [], concerns }: AuditEntryDoc) => [
  ...[
    event,
    ...(actor ? [actor] : []),
    ...(token ? [token] : []),
    ...(node ? [node] : []),
    ...(record ? [record] : []),
  ],
  ...[...records, ...owners, ...concerns],
];

/** The keys that sign events, derived for this purpose alone. */
const eventKeys = (audit: KeyRing): KeyRing => audit.derive('events');
const signedParts = (event: EventDoc) => ['event', JSON.stringify([String(event._id), ...factsOf(event)])];

/** Signs an event in the process that makes it. The log accepts no unsigned event. */
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

/** Restores ids that were turned into text, so that the entry of a genuine event is found by them. */
const ids = (all: ObjectId[]) => all.map((id) => oid(String(id)));

function draftOf(event: EventDoc): Draft {
  return {
    event: event._id,
    type: event.type,
    status: event.status,
    ...(event.actor ? { actor: oid(String(event.actor)) } : {}),
    ...(event.token ? { token: oid(String(event.token)) } : {}),
    ...(event.node ? { node: oid(String(event.node)) } : {}),
    table: event.table,
    ...(event.record ? { record: oid(String(event.record)) } : {}),
    ...(event.records ? { records: ids(event.records) } : {}),
    ...(event.owners ? { owners: ids(event.owners) } : {}),
    ip: event.ip,
    reason: event.reason,
    at: event.at,
    ...(event.more ? { more: event.more } : {}),
  };
}

/**
 * Makes the entry for an event. The log accepts the event's facts if a process of the product signed it; otherwise it
 * records only that the event existed.
 */
export function judge(
  audit: KeyRing,
  event: EventDoc,
  now: Date,
  { takesUnsigned, archivedUntil }: { takesUnsigned: boolean; archivedUntil: Date | null },
): Draft {
  const unsigned = event.mac === undefined && event.at instanceof Date;
  // The entry of such an event may be archived: the log would have it twice.
  const tooOld = archivedUntil !== null && event.at <= archivedUntil;
  if (!tooOld && (isGenuine(audit, event) || (unsigned && takesUnsigned))) return draftOf(event);
  const id = isObjectId(event._id) ? event._id : markId('foreign', String(event._id));
  return { ...remark('audit.foreign', now, 'EVENT_FOREIGN'), event: id, record: id };
}

const isObjectId = (id: unknown): boolean => (id as { _bsontype?: string } | null)?._bsontype === 'ObjectId';

type Remark = 'audit.signed' | 'audit.foreign' | 'audit.gap' | 'audit.archived';

/** The faults that entries report. */
export const reports: Partial<Record<AuditEntryDoc['type'], AuditFault>> = {
  'audit.foreign': 'foreign',
  'audit.gap': 'gap',
};

/** Makes a remark of the log itself. With the same `mark` every process makes the same entry. */
export const remark = (type: Remark, now: Date, says: AuditRemark, ...mark: string[]): Draft => ({
  event: markId(type, says, ...mark),
  type,
  status: type === 'audit.signed' || type === 'audit.archived' ? 'success' : 'failed',
  table: auditActions[type].table,
  ip: '',
  reason: says,
  at: now,
});

const markId = (...parts: string[]): ObjectId =>
  oid(createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 24));

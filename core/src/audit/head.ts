import { isDuplicate } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { isSigned, type KeyRing, sign } from '../keys/keyring.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { AuditHeadDoc } from '../models/auditHead.js';
import type { Models } from '../models/models.js';

const HEAD = 'head';
const CHECKPOINT = 'checkpoint';

/** The place and hash of one entry. The head of the newest entry protects the whole log. */
export interface Head {
  seq: number;
  hash: string;
}

const partsOf = ({ seq, hash }: Head) => [HEAD, String(seq), hash];

/**
 * Stores the newest entry's place and hash, signed. Of several processes that append, the furthest head stays. A head
 * that no key signed is replaced whatever its place.
 */
export async function keepHead(models: Models, ring: KeyRing, { seq, hash }: Head, forged = false): Promise<void> {
  const signature = sign(ring, ...partsOf({ seq, hash }));
  const known = await models.AuditHead.exists({ _id: HEAD }).readConcern(NEWEST);
  // A log without a stored head: find the keys that it needs from its entries, once.
  const keyIds = known ? [signature.keyId] : [signature.keyId, ...(await models.AuditEntry.distinct('keyId'))];
  try {
    await models.AuditHead.updateOne(
      { _id: HEAD, ...(forged ? {} : { seq: { $lt: seq } }) },
      { $set: { seq, hash, ...signature }, $addToSet: { keyIds: { $each: keyIds } } },
      { upsert: true },
    );
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

/** Returns the stored head; `genuine` only when a key of the ring signed it. */
export async function readHead(
  models: Models,
  ring: KeyRing,
): Promise<(Head & { genuine: boolean; mac: string }) | null> {
  const kept = await models.AuditHead.findById(HEAD).readConcern(NEWEST).lean<AuditHeadDoc>();
  if (!kept) return null;
  return { seq: kept.seq, hash: kept.hash, mac: kept.mac, genuine: isSigned(ring, kept, ...partsOf(kept)) };
}

/** Returns the ids of the keys that a check of the log needs. */
export async function auditKeyIds(models: Models): Promise<string[]> {
  return (await models.AuditHead.findById(HEAD).lean<AuditHeadDoc>())?.keyIds ?? [];
}

/**
 * Returns the newest entry; null for an empty log. Ignores a planted entry whose place is too large or missing, so that
 * it cannot stop appending; a verification names that entry. Right after a failover a majority's view of the log lags a
 * little behind the heads that processes remember.
 */
export const newestEntry = (models: Models): Promise<AuditEntryDoc | null> =>
  models.AuditEntry.findOne({ seq: { $lte: Number.MAX_SAFE_INTEGER } })
    .sort({ seq: -1 })
    .readConcern(NEWEST)
    .lean<AuditEntryDoc>();

export type Checkpoint = Head & { found?: AuditHeadDoc['found'] | undefined };

const checkpointParts = ({ seq, hash, found }: Checkpoint) => [
  ...[CHECKPOINT, String(seq), hash],
  found ? `${found.seq}:${found.fault}` : '',
];

/**
 * Stores the place up to which the log was verified. An older checkpoint of another process may replace it: then the
 * next verification only reads more.
 */
export async function keepCheckpoint(models: Models, ring: KeyRing, { seq, hash, found }: Checkpoint): Promise<void> {
  const kept = { seq, hash, ...sign(ring, ...checkpointParts({ seq, hash, found })) };
  await models.AuditHead.updateOne(
    { _id: CHECKPOINT },
    found ? { $set: { ...kept, found } } : { $set: kept, $unset: { found: 1 } },
    { upsert: true },
  );
}

export async function readCheckpoint(models: Models, ring: KeyRing): Promise<Checkpoint | null> {
  const kept = await models.AuditHead.findById(CHECKPOINT).lean<AuditHeadDoc>();
  return kept && isSigned(ring, kept, ...checkpointParts(kept)) ? kept : null;
}

/** The furthest head that this process has seen on a connection. No change of the database can take it back. */
const seen = new WeakMap<Models, Head>();

export const rememberedHead = (models: Models): Head | null => seen.get(models) ?? null;

export function rememberHead(models: Models, { seq, hash }: Head): void {
  if (seq > (seen.get(models)?.seq ?? 0)) seen.set(models, { seq, hash });
}

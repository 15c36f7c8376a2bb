import { timingSafeEqual } from 'node:crypto';
import { isDuplicate } from '../db/ids.js';
import { hmac, type KeyRing } from '../keys/keyring.js';
import type { Models } from '../models/models.js';
import type { AuditHeadDoc } from '../models/types.js';

const HEAD = 'head';

/** The place and hash of one entry; the log stands and falls with that of the newest. */
export interface Head {
  seq: number;
  hash: string;
}

const macOf = (key: Buffer, { seq, hash }: Head) => hmac(key, HEAD, String(seq), hash);

/** Keeps the newest entry's place and hash, signed. Of several that append, the furthest stays. */
export async function keepHead(models: Models, ring: KeyRing, { seq, hash }: Head): Promise<void> {
  const { id: keyId, key } = ring.current;
  const known = await models.AuditHead.exists({ _id: HEAD });
  // A log from before its head was kept: which keys it needs is asked of its entries, once.
  const keyIds = known ? [keyId] : [keyId, ...(await models.AuditEntry.distinct('keyId'))];
  try {
    await models.AuditHead.updateOne(
      { _id: HEAD, seq: { $lt: seq } },
      {
        $set: { seq, hash, keyId, mac: macOf(key, { seq, hash }).toString('hex') },
        $addToSet: { keyIds: { $each: keyIds } },
      },
      { upsert: true },
    );
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

/** The kept head; `genuine` only when a key of the ring made it. */
export async function readHead(models: Models, ring: KeyRing): Promise<(Head & { genuine: boolean }) | null> {
  const kept = await models.AuditHead.findById(HEAD).lean<AuditHeadDoc>();
  if (!kept) return null;
  const key = ring.find(kept.keyId)?.key;
  const mac = Buffer.from(kept.mac, 'hex');
  const genuine = key !== undefined && mac.length === 32 && timingSafeEqual(mac, macOf(key, kept));
  return { seq: kept.seq, hash: kept.hash, genuine };
}

/** The ids of the keys without which the log could not be checked. */
export async function auditKeyIds(models: Models): Promise<string[]> {
  return (await models.AuditHead.findById(HEAD).lean<AuditHeadDoc>())?.keyIds ?? [];
}

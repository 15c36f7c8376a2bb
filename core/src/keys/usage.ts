import { auditKeyIds } from '../audit/head.js';
import { ConfigError } from '../config/env.js';
import type { Models } from '../models/models.js';
import type { Keys } from './keyring.js';
import {
  kindOf,
  modelOf,
  olderThanCurrent,
  present,
  type SealedKind,
  type SealingRing,
  sealedKindNames,
  textsOf,
} from './sealedKinds.js';

/** Returns filters for the records of ENCRYPTION_KEYS that are not under the current key yet. */
export const underOlderKeys = (keys: Keys) =>
  Object.fromEntries(sealedKindNames.map((kind) => [kind, olderThanCurrent(kind, keys)])) as Record<SealedKind, object>;

/** Counts the records of each kind that are not under the current key yet, up to a limit for each. */
export async function countOlder(models: Models, keys: Keys, limit: number): Promise<Record<SealedKind, number>> {
  const counted = await Promise.all(
    sealedKindNames.map(async (kind) => {
      const older = olderThanCurrent(kind, keys);
      return [kind, await modelOf(models, kind).countDocuments(older, { limit })] as const;
    }),
  );
  return Object.fromEntries(counted) as Record<SealedKind, number>;
}

async function totpKeyIds(models: Models): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const last = ids.at(-1);
    const beyond = last === undefined ? '' : textsOf(last)[1];
    const next = await models.Totp.findOne({ secret: { $gte: beyond } }, { secret: 1 })
      .sort({ secret: 1 })
      .lean();
    if (!next?.secret) return ids;
    ids.push(next.secret.slice(0, next.secret.indexOf('.')));
  }
}

/** Returns the ids of the keys under which the records of a ring are, read from indexes, whatever their number. */
async function keyIdsOf(models: Models, ring: keyof Keys): Promise<string[]> {
  const found = sealedKindNames.map(async (name) => {
    const kind = kindOf(name);
    if (kind.ring !== ring) return [];
    if (kind.text) return totpKeyIds(models);
    // Accounts without a sealed profile are null.
    return known(await modelOf(models, name).distinct(`${kind.field}.keyId`, present(kind)));
  });
  return [...new Set((await Promise.all(found)).flat())];
}

/**
 * The records that would be lost with a key of each ring, in words. Null: a lost key loses nothing stored. A new ring needs
 * a row here, and one that seals a kind needs words.
 */
const holders: { [Ring in keyof Keys]: Ring extends SealingRing ? string : string | null } = {
  images: 'images and voice messages',
  profiles: 'profiles and photos',
  sharing: 'notes of shares and invitations, reasons of emergency accesses and legal holds, addresses of carers',
  webhooks: 'webhooks',
  totp: 'authenticator apps',
  secrets: 'keys of the installation',
  audit: 'the audit log',
  // Without a key of these, people sign in again or ask for a new code.
  tokens: null,
  codes: null,
  refresh: null,
  signOn: null,
  cursors: null,
  names: null,
  throttles: null,
  topics: null,
};

const known = (ids: unknown[]): string[] => ids.filter((id) => typeof id === 'string');

const ringNames = Object.keys(holders) as (keyof Keys)[];

/** Returns the ids of the keys that stored records need, by ring. Rings whose loss loses nothing are absent. */
export async function neededKeys(models: Models): Promise<Partial<Record<keyof Keys, string[]>>> {
  const found = await Promise.all(
    ringNames.map(async (ring) => {
      const ids = ring === 'audit' ? await auditKeyIds(models) : await keyIdsOf(models, ring);
      return [ring, ids] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, ids]) => ids.length > 0));
}

interface LackingRing {
  variable: string;
  name: string;
  ids: string[];
}

/** Returns the needed keys that no ring holds. */
export function lackingKeys(needed: Partial<Record<keyof Keys, string[]>>, keys: Keys): LackingRing[] {
  return ringNames.flatMap((ring) => {
    const ids = (needed[ring] ?? []).filter((id) => !keys[ring].find(id));
    const variable = ring === 'audit' ? 'APP_KEYS or AUDIT_KEYS' : 'ENCRYPTION_KEYS';
    return ids.length > 0 ? [{ variable, name: holders[ring] ?? ring, ids }] : [];
  });
}

/** Returns the ids of the keys that stored records need and that no ring holds. */
export async function missingKeys(models: Models, keys: Keys): Promise<string[]> {
  return [...new Set(lackingKeys(await neededKeys(models), keys).flatMap(({ ids }) => ids))];
}

/** Throws when a key was removed that stored records still need. */
export async function refuseMissingKeys(models: Models, keys: Keys): Promise<void> {
  const faults = lackingKeys(await neededKeys(models), keys).map(
    ({ variable, name, ids }) => `  ${variable} must hold ${ids.join(', ')}: ${name} still need it`,
  );
  if (faults.length === 0) return;
  throw new ConfigError(
    `Lightbox cannot start without keys that are still in use (docs/security.md, "Rotating keys"):\n${faults.join('\n')}`,
  );
}

export interface KeyUse {
  variable: 'ENCRYPTION_KEYS' | 'APP_KEYS';
  what: string;
  keyId: string;
  /** Null when their number is unknown: there are some. */
  records: number | null;
}

/** Counts the stored records that need a key, by key; for the command, which may take long. */
export async function keyUses(models: Models, now: Date): Promise<KeyUse[]> {
  const [sealed, shares, links, requests, codes, recovery] = await Promise.all([
    Promise.all(sealedKindNames.map((kind) => countSealed(models, kind))),
    countBy(models.Share, '$keyId', { live: true, verifiedAt: { $exists: false } }),
    countBy(models.GuestLink, '$keyId', { live: true }),
    countBy(models.ImageRequest, '$keyId', { state: { $in: ['waiting', 'received'] } }),
    countBy(models.Code, '$keyId', { expiresAt: { $gt: now }, usedAt: { $exists: false } }),
    countBy(models.Totp, '$recoveryCodes.keyId', {}, '$recoveryCodes'),
  ]);
  const rows = (variable: KeyUse['variable'], what: string, counted: [keyId: string, records: number][]): KeyUse[] =>
    counted.map(([keyId, records]) => ({ variable, what, keyId, records }));
  return [
    ...sealed.flatMap((counted, i) => rows('ENCRYPTION_KEYS', kindOf(sealedKindNames[i] as SealedKind).what, counted)),
    ...rows('APP_KEYS', 'codes of shares', shares),
    ...rows('APP_KEYS', 'guest links', links),
    ...rows('APP_KEYS', 'requests for images', requests),
    ...rows('APP_KEYS', 'mailed codes', codes),
    ...rows('APP_KEYS', 'recovery codes', recovery),
    ...(await auditKeyIds(models)).map(
      (keyId): KeyUse => ({ variable: 'APP_KEYS', what: 'the audit log', keyId, records: null }),
    ),
  ];
}

function countSealed(models: Models, name: SealedKind): Promise<[keyId: string, records: number][]> {
  const kind = kindOf(name);
  const keyId = `$${kind.field}.keyId`;
  const text = { $first: { $split: [`$${kind.field}`, '.'] } };
  const by = kind.text ? text : kind.clear ? { $ifNull: [keyId, '(in clear)'] } : keyId;
  return countBy(modelOf(models, name), by, present(kind));
}

async function countBy(
  model: Pick<Models['Image'], 'aggregate'>,
  by: unknown,
  match: object = {},
  unwind?: string,
): Promise<[string, number][]> {
  const rows = await model.aggregate<{ _id: string; n: number }>([
    { $match: match },
    ...(unwind ? [{ $unwind: unwind }] : []),
    { $group: { _id: by, n: { $sum: 1 } } },
    { $sort: { _id: 1 as const } },
  ]);
  return rows.map(({ _id, n }) => [_id, n]);
}

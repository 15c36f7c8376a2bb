import { auditKeyIds } from '../audit/head.js';
import { ConfigError } from '../config/env.js';
import type { Models } from '../models/models.js';
import type { Keys } from './keyring.js';

/** Records of ENCRYPTION_KEYS that are not yet under the current key. Each filter is served by an index. */
export function underOlderKeys(keys: Keys) {
  const images = keys.images.current.id;
  const profiles = keys.profiles.current.id;
  const [from, to] = prefix(keys.totp.current.id);
  return {
    images: { 'dataKey.keyId': { $ne: images } },
    // Accounts from before profiles were sealed are among them.
    profiles: { 'profile.keyId': { $ne: profiles } },
    totpSecrets: { $or: [{ secret: { $lt: from } }, { secret: { $gte: to } }] },
  };
}

/** A sealed text is `keyId.sealed`; from here to before there are those of one key. */
const prefix = (keyId: string): [string, string] => [`${keyId}.`, `${keyId}/`];

async function totpKeyIds(models: Models): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const last = ids.at(-1);
    const beyond = last === undefined ? '' : prefix(last)[1];
    const next = await models.Totp.findOne({ secret: { $gte: beyond } }, { secret: 1 })
      .sort({ secret: 1 })
      .lean();
    if (!next?.secret) return ids;
    ids.push(next.secret.slice(0, next.secret.indexOf('.')));
  }
}

/** What would be lost with a key: its holders by name. All read from indexes, whatever the number of records. */
async function holdersOf(models: Models): Promise<{ what: string; ring: keyof Keys; keyIds: string[] }[]> {
  const [images, profiles, totp, audit] = await Promise.all([
    models.Image.distinct('dataKey.keyId'),
    // Accounts without a sealed profile come as null.
    models.User.distinct('profile.keyId').then((ids: unknown[]) => ids.filter((id) => id !== null)),
    totpKeyIds(models),
    auditKeyIds(models),
  ]);
  return [
    { what: 'images', ring: 'images', keyIds: images as string[] },
    { what: 'profiles', ring: 'profiles', keyIds: profiles as string[] },
    { what: 'authenticator apps', ring: 'totp', keyIds: totp },
    { what: 'the audit log', ring: 'audit', keyIds: audit },
  ];
}

/** Throws when a key was taken away that something stored cannot do without. */
export async function refuseMissingKeys(models: Models, keys: Keys): Promise<void> {
  const faults = (await holdersOf(models)).flatMap(({ what, ring, keyIds }) => {
    const missing = keyIds.filter((id) => !keys[ring].find(id));
    const variable = ring === 'audit' ? 'APP_KEYS or AUDIT_KEYS' : 'ENCRYPTION_KEYS';
    return missing.length > 0 ? [`  ${variable} must hold ${missing.join(', ')}: ${what} still need it`] : [];
  });
  if (faults.length === 0) return;
  throw new ConfigError(
    `Lightbox cannot start without keys that are still in use (docs/security.md, "Rotating keys"):\n${faults.join('\n')}`,
  );
}

export interface KeyUse {
  variable: 'ENCRYPTION_KEYS' | 'APP_KEYS';
  what: string;
  keyId: string;
  /** Null where it is only known that there are some. */
  records: number | null;
}

/** Everything stored that needs a key, counted by key; for the command, which may take its time. */
export async function keyUses(models: Models, now: Date): Promise<KeyUse[]> {
  const [images, profiles, totp, shares, codes, recovery] = await Promise.all([
    countBy(models.Image, '$dataKey.keyId'),
    countBy(models.User, { $ifNull: ['$profile.keyId', '(in clear)'] }),
    countBy(models.Totp, { $first: { $split: ['$secret', '.'] } }, { secret: { $exists: true } }),
    countBy(models.Share, '$keyId', { live: true, verifiedAt: { $exists: false } }),
    countBy(models.Code, '$keyId', { expiresAt: { $gt: now }, usedAt: { $exists: false } }),
    countBy(models.Totp, '$recoveryCodes.keyId', {}, '$recoveryCodes'),
  ]);
  const rows = (variable: KeyUse['variable'], what: string, counted: [keyId: string, records: number][]): KeyUse[] =>
    counted.map(([keyId, records]) => ({ variable, what, keyId, records }));
  return [
    ...rows('ENCRYPTION_KEYS', 'images', images),
    ...rows('ENCRYPTION_KEYS', 'profiles', profiles),
    ...rows('ENCRYPTION_KEYS', 'authenticator apps', totp),
    ...rows('APP_KEYS', 'codes of shares', shares),
    ...rows('APP_KEYS', 'mailed codes', codes),
    ...rows('APP_KEYS', 'recovery codes', recovery),
    ...(await auditKeyIds(models)).map(
      (keyId): KeyUse => ({ variable: 'APP_KEYS', what: 'the audit log', keyId, records: null }),
    ),
  ];
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

import { auditKeyIds } from '../audit/head.js';
import { ConfigError } from '../config/env.js';
import type { Models } from '../models/models.js';
import type { Keys } from './keyring.js';

/**
 * Returns filters for records of ENCRYPTION_KEYS that are not under the current key yet. An index serves each filter;
 * the secrets are a handful.
 */
export function underOlderKeys(keys: Keys) {
  const images = keys.images.current.id;
  const profiles = keys.profiles.current.id;
  const sharing = keys.sharing.current.id;
  const [from, to] = prefix(keys.totp.current.id);
  return {
    images: { 'dataKey.keyId': { $ne: images } },
    uploads: { 'dataKey.keyId': { $ne: images } },
    voices: { 'dataKey.keyId': { $ne: images } },
    // Accounts from before profiles were sealed match too.
    profiles: { 'profile.keyId': { $ne: profiles } },
    photos: { picture: { $exists: true }, 'picture.keyId': { $ne: profiles } },
    notes: { note: { $exists: true }, 'note.keyId': { $ne: sharing } },
    emergencies: { 'reason.keyId': { $ne: sharing } },
    legalHolds: { 'reason.keyId': { $ne: sharing } },
    carers: { address: { $exists: true }, 'address.keyId': { $ne: sharing } },
    webhooks: { 'secret.keyId': { $ne: keys.webhooks.current.id } },
    invites: { 'address.keyId': { $ne: sharing } },
    secrets: { 'key.keyId': { $ne: keys.secrets.current.id } },
    totpSecrets: { $or: [{ secret: { $lt: from } }, { secret: { $gte: to } }] },
  };
}

/** Counts the records of each kind that are not under the current key yet, up to a limit for each. */
export async function countOlder(models: Models, keys: Keys, limit: number): Promise<Record<OlderKind, number>> {
  const filters = Object.entries(underOlderKeys(keys)) as [OlderKind, object][];
  const counted = await Promise.all(
    filters.map(async ([kind, filter]) => [kind, await modelOf(models, kind).countDocuments(filter, { limit })]),
  );
  return Object.fromEntries(counted);
}

type OlderKind = keyof ReturnType<typeof underOlderKeys>;

const sealedModels = {
  images: 'Image',
  uploads: 'Upload',
  voices: 'Voice',
  profiles: 'User',
  photos: 'Photo',
  notes: 'Share',
  emergencies: 'Emergency',
  legalHolds: 'LegalHold',
  carers: 'Carer',
  webhooks: 'Webhook',
  invites: 'Invite',
  secrets: 'Secret',
  totpSecrets: 'Totp',
} as const satisfies Record<OlderKind, keyof Models>;

const modelOf = (models: Models, kind: OlderKind) =>
  models[sealedModels[kind]] as Pick<Models['Image'], 'countDocuments'>;

/** Returns the range of all sealed texts of one key; a sealed text is `keyId.sealed`. */
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

interface Holder {
  name: string;
  keyIds: (models: Models) => Promise<string[]>;
}

/**
 * The records that would be lost with a key of each ring, read from indexes, whatever their number. Null: a lost key
 * loses nothing stored. A new ring needs a row here.
 */
const holders: Record<keyof Keys, Holder | null> = {
  images: {
    name: 'images and voice messages',
    keyIds: async ({ Image, Upload, Voice }) => [
      ...new Set([
        ...known(await Image.distinct('dataKey.keyId')),
        ...known(await Upload.distinct('dataKey.keyId')),
        ...known(await Voice.distinct('dataKey.keyId')),
      ]),
    ],
  },
  // Accounts without a sealed profile are null.
  profiles: {
    name: 'profiles and photos',
    keyIds: async ({ User, Photo }) => [
      ...new Set([
        ...known(await User.distinct('profile.keyId')),
        ...known(await Photo.distinct('picture.keyId', { picture: { $exists: true } })),
      ]),
    ],
  },
  sharing: {
    name: 'notes of shares and invitations, reasons of emergency accesses and legal holds, addresses of carers',
    keyIds: async ({ Share, Invite, Emergency, LegalHold, Carer }) => [
      ...new Set([
        ...known(await Share.distinct('note.keyId', { note: { $exists: true } })),
        ...known(await Invite.distinct('address.keyId')),
        ...known(await Emergency.distinct('reason.keyId')),
        ...known(await LegalHold.distinct('reason.keyId')),
        ...known(await Carer.distinct('address.keyId', { address: { $exists: true } })),
      ]),
    ],
  },
  webhooks: { name: 'webhooks', keyIds: (models) => models.Webhook.distinct('secret.keyId').then(known) },
  totp: { name: 'authenticator apps', keyIds: totpKeyIds },
  secrets: { name: 'keys of the installation', keyIds: (models) => models.Secret.distinct('key.keyId').then(known) },
  audit: { name: 'the audit log', keyIds: auditKeyIds },
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
    ringNames.map(async (ring) => [ring, (await holders[ring]?.keyIds(models)) ?? []] as const),
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
    return ids.length > 0 ? [{ variable, name: holders[ring]?.name ?? ring, ids }] : [];
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
  const [
    images,
    uploads,
    voices,
    profiles,
    notes,
    invites,
    emergencies,
    legalHolds,
    carers,
    photos,
    webhooks,
    totp,
    secrets,
    shares,
    links,
    requests,
    codes,
    recovery,
  ] = await Promise.all([
    countBy(models.Image, '$dataKey.keyId'),
    countBy(models.Upload, '$dataKey.keyId'),
    countBy(models.Voice, '$dataKey.keyId'),
    countBy(models.User, { $ifNull: ['$profile.keyId', '(in clear)'] }),
    countBy(models.Share, '$note.keyId', { note: { $exists: true } }),
    countBy(models.Invite, '$address.keyId'),
    countBy(models.Emergency, '$reason.keyId'),
    countBy(models.LegalHold, '$reason.keyId'),
    countBy(models.Carer, '$address.keyId', { address: { $exists: true } }),
    countBy(models.Photo, '$picture.keyId', { picture: { $exists: true } }),
    countBy(models.Webhook, '$secret.keyId'),
    countBy(models.Totp, { $first: { $split: ['$secret', '.'] } }, { secret: { $exists: true } }),
    countBy(models.Secret, '$key.keyId'),
    countBy(models.Share, '$keyId', { live: true, verifiedAt: { $exists: false } }),
    countBy(models.GuestLink, '$keyId', { live: true }),
    countBy(models.ImageRequest, '$keyId', { state: { $in: ['waiting', 'received'] } }),
    countBy(models.Code, '$keyId', { expiresAt: { $gt: now }, usedAt: { $exists: false } }),
    countBy(models.Totp, '$recoveryCodes.keyId', {}, '$recoveryCodes'),
  ]);
  const rows = (variable: KeyUse['variable'], what: string, counted: [keyId: string, records: number][]): KeyUse[] =>
    counted.map(([keyId, records]) => ({ variable, what, keyId, records }));
  return [
    ...rows('ENCRYPTION_KEYS', 'images', images),
    ...rows('ENCRYPTION_KEYS', 'resumable uploads', uploads),
    ...rows('ENCRYPTION_KEYS', 'voice messages', voices),
    ...rows('ENCRYPTION_KEYS', 'profiles', profiles),
    ...rows('ENCRYPTION_KEYS', 'photos', photos),
    ...rows('ENCRYPTION_KEYS', 'notes of shares', notes),
    ...rows('ENCRYPTION_KEYS', 'invitations', invites),
    ...rows('ENCRYPTION_KEYS', 'emergency accesses', emergencies),
    ...rows('ENCRYPTION_KEYS', 'legal holds', legalHolds),
    ...rows('ENCRYPTION_KEYS', 'carers', carers),
    ...rows('ENCRYPTION_KEYS', 'webhooks', webhooks),
    ...rows('ENCRYPTION_KEYS', 'authenticator apps', totp),
    ...rows('ENCRYPTION_KEYS', 'keys of the installation', secrets),
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

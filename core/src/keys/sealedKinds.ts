import type { Model } from 'mongoose';
import type { Models } from '../models/models.js';
import type { Keys } from './keyring.js';

interface Kind {
  model: keyof Models;
  ring: keyof Keys;
  /** The words of `npm run keys:status`. */
  what: string;
  /** The field with the `SealedValue`, by whose key an index finds the records. */
  field: string;
  /** Records may lack the field. */
  optional?: true;
  /** Records without the field are from before it was sealed, and are sealed too. */
  clear?: true;
  /** The field is a text `keyId.sealed`. */
  text?: true;
  /** Further fields that are always sealed together with `field`, under the same key. */
  with?: readonly string[];
}

/**
 * The kinds of records that a key of ENCRYPTION_KEYS seals. The counts, the refusal to start without a key, the keys that a backup
 * names and the task that seals again (`renewals` in `workers/src/maintenance/renewKeys.ts`) go by this table. A test finds a
 * model with a sealed field that is not in it.
 */
const sealedKinds = {
  images: { model: 'Image', ring: 'images', what: 'images', field: 'dataKey' },
  uploads: { model: 'Upload', ring: 'images', what: 'resumable uploads', field: 'dataKey' },
  voices: { model: 'Voice', ring: 'images', what: 'voice messages', field: 'dataKey' },
  profiles: { model: 'User', ring: 'profiles', what: 'profiles', field: 'profile', clear: true },
  photos: { model: 'Photo', ring: 'profiles', what: 'photos', field: 'picture', optional: true },
  notes: { model: 'Share', ring: 'sharing', what: 'notes of shares', field: 'note', optional: true },
  invites: { model: 'Invite', ring: 'sharing', what: 'invitations', field: 'address', with: ['note'] },
  emergencies: {
    model: 'Emergency',
    ring: 'sharing',
    what: 'emergency accesses',
    field: 'reason',
    with: ['question', 'answer', 'approval'],
  },
  legalHolds: { model: 'LegalHold', ring: 'sharing', what: 'legal holds', field: 'reason', with: ['liftReason'] },
  carers: { model: 'Carer', ring: 'sharing', what: 'carers', field: 'address', optional: true },
  webhooks: { model: 'Webhook', ring: 'webhooks', what: 'webhooks', field: 'secret', with: ['previous'] },
  totpSecrets: {
    model: 'Totp',
    ring: 'totp',
    what: 'authenticator apps',
    field: 'secret',
    optional: true,
    text: true,
  },
  secrets: { model: 'Secret', ring: 'secrets', what: 'keys of the installation', field: 'key' },
} as const satisfies Record<string, Kind>;

export type SealedKind = keyof typeof sealedKinds;
/** The rings that seal a kind. */
export type SealingRing = (typeof sealedKinds)[SealedKind]['ring'];
export type SealedDoc<K extends SealedKind> =
  Models[(typeof sealedKinds)[K]['model']] extends Model<infer Doc> ? Doc : never;

export const sealedKindNames = Object.keys(sealedKinds) as SealedKind[];
export const kindOf = (name: SealedKind): Kind => sealedKinds[name];

/** The model of a kind, for what all models can. */
export const modelOf = (models: Models, name: SealedKind) =>
  models[sealedKinds[name].model] as unknown as Models['Image'];

/** Returns a filter for the records that have the field. */
export const present = ({ field, optional }: Kind): object => (optional ? { [field]: { $exists: true } } : {});

/** Returns the range of all sealed texts of one key. */
export const textsOf = (keyId: string): [string, string] => [`${keyId}.`, `${keyId}/`];

/** Returns a filter for the records of a kind that are not under the current key yet. An index serves it; the secrets are a handful. */
export function olderThanCurrent(name: SealedKind, keys: Keys): object {
  const kind = kindOf(name);
  const { id } = keys[kind.ring].current;
  const [from, to] = textsOf(id);
  if (kind.text) return { $or: [{ [kind.field]: { $lt: from } }, { [kind.field]: { $gte: to } }] };
  return { ...present(kind), [`${kind.field}.keyId`]: { $ne: id } };
}

/** Returns the projection that reads what is sealed; all fields where some may be in clear. */
export const sealedParts = ({ field, clear, with: others = [] }: Kind): Record<string, 1> =>
  clear ? {} : Object.fromEntries([field, ...others].map((name) => [name, 1 as const]));

import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { openAddress as openCarerAddress, sealAddress as sealCarerAddress } from '@lightbox/core/carers/sealed.js';
import type { Core } from '@lightbox/core/core.js';
import { sealAgain } from '@lightbox/core/emergencies/sealed.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import { openValue, sealValue } from '@lightbox/core/keys/seal.js';
import {
  kindOf,
  modelOf,
  olderThanCurrent,
  type SealedDoc,
  type SealedKind,
  sealedKindNames,
  sealedParts,
} from '@lightbox/core/keys/sealedKinds.js';
import { openTotpSecret, sealTotpSecret } from '@lightbox/core/keys/totpSecret.js';
import { sealHoldAgain } from '@lightbox/core/legalHolds/sealed.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import type { LegalHoldDoc } from '@lightbox/core/models/legalHold.js';
import type { PhotoDoc } from '@lightbox/core/models/photo.js';
import type { SecretDoc } from '@lightbox/core/models/secret.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { TotpDoc } from '@lightbox/core/models/totp.js';
import type { Person, UserDoc } from '@lightbox/core/models/user.js';
import type { WebhookDoc } from '@lightbox/core/models/webhook.js';
import { addressHash, openAddress, sealAddress } from '@lightbox/core/sharing/invites.js';
import { openNote, sealNote } from '@lightbox/core/sharing/notes.js';
import { openPhoto, sealPhoto } from '@lightbox/core/users/photos.js';
import { openProfile, sealedFields, sealProfile, unsetClear } from '@lightbox/core/users/profile.js';
import { sealSecretsAgain } from '@lightbox/core/webhooks/secrets.js';

const BATCH = 200;
/** The length of one turn. It is short so that calls are not slowed down; the next turn does the rest. */
const TURN_MS = 400;

/** The update of a record, with a filter that matches only if the record has not changed since it was read. */
interface Renewal {
  filter: object;
  update: object;
}

/**
 * Seals again with the current key: records sealed with an older key, and profiles that are not encrypted yet. The records
 * themselves show which ones are left, so the task may be interrupted anywhere and run in several workers at once. Blobs do
 * not change: only the data key of an image is wrapped again. Returns true when more is left.
 */
export async function renewKeys(core: Core): Promise<boolean> {
  const { keys, models } = core;
  const turn = { until: performance.now() + TURN_MS, renewed: 0 };
  for (const kind of sealedKindNames) {
    const model = modelOf(models, kind);
    const rows = model
      .find(olderThanCurrent(kind, keys), sealedParts(kindOf(kind)))
      .lean<ImageDoc[]>()
      .cursor();
    const renew = renewals[kind] as (core: Core, row: unknown) => Renewal;
    await renewAll(core, turn, rows, model.collection, (row) => renew(core, row));
  }
  return performance.now() >= turn.until && turn.renewed > 0;
}

interface Turn {
  until: number;
  renewed: number;
}
type Collection = Core['models']['Image']['collection'];

async function renewAll<D>(
  core: Core,
  turn: Turn,
  rows: AsyncIterable<D>,
  collection: Collection,
  renew: (row: D) => Renewal,
): Promise<void> {
  let batch: Renewal[] = [];
  const write = async () => {
    if (batch.length === 0) return;
    const done = await collection.bulkWrite(
      batch.map((updateOne) => ({ updateOne })),
      { ordered: false },
    );
    turn.renewed += done.modifiedCount;
    batch = [];
  };
  for await (const row of rows) {
    if (performance.now() >= turn.until) break;
    // A damaged record does not change. Requests for it fail.
    const renewal = unlessDamaged(core.log, () => renew(row));
    if (renewal) batch.push(renewal);
    if (batch.length === BATCH) await write();
  }
  await write();
}

/** Uploads and recordings are wrapped in the same way: bound to their own id. */
function renewDataKey({ keys }: Core, { _id, dataKey }: Pick<ImageDoc, '_id' | 'dataKey'>): Renewal {
  const id = String(_id);
  const renewed = sealValue(keys.images, id, unwrapDataKey(keys.images, id, dataKey));
  return { filter: { _id, 'dataKey.sealed': dataKey.sealed }, update: { $set: { dataKey: renewed } } };
}

function renewProfile({ keys }: Core, user: UserDoc): Renewal {
  const asRead = sealedFields.map((field) => [field, (user as Person)[field] ?? { $exists: false }]);
  return {
    filter: {
      _id: user._id,
      'profile.sealed': user.profile?.sealed ?? { $exists: false },
      ...Object.fromEntries(asRead),
    },
    update: { $set: { profile: sealProfile(keys, user._id, openProfile(keys, user)) }, $unset: unsetClear },
  };
}

const noteAgain = ({ keys }: Core, { _id, note }: Pick<ShareDoc | InviteDoc, '_id' | 'note'>) =>
  note ? { note: sealNote(keys, _id, openNote(keys, _id, note)) } : {};

const renewNote = (core: Core, share: ShareDoc): Renewal => ({
  filter: { _id: share._id, 'note.sealed': share.note?.sealed },
  update: { $set: noteAgain(core, share) },
});

/** The hash of the address is made with the same key. */
function renewInvite(core: Core, invite: InviteDoc): Renewal {
  const { keys } = core;
  const email = openAddress(keys, invite);
  const renewed = { address: sealAddress(keys, invite._id, email), addressHash: addressHash(keys, email) };
  return {
    filter: { _id: invite._id, 'address.sealed': invite.address.sealed },
    update: { $set: { ...renewed, ...noteAgain(core, invite) } },
  };
}

/** All texts of the record are sealed together with the key of its reason. */
const renewEmergency = ({ keys }: Core, emergency: EmergencyDoc): Renewal => ({
  filter: { _id: emergency._id, 'reason.sealed': emergency.reason.sealed },
  update: { $set: sealAgain(keys, emergency) },
});

const renewLegalHold = ({ keys }: Core, hold: LegalHoldDoc): Renewal => ({
  filter: { _id: hold._id, 'reason.sealed': hold.reason.sealed },
  update: { $set: sealHoldAgain(keys, hold) },
});

const renewCarer = ({ keys }: Core, { _id, address }: CarerDoc): Renewal => ({
  filter: { _id, 'address.sealed': address?.sealed },
  update: address ? { $set: { address: sealCarerAddress(keys, _id, openCarerAddress(keys, _id, address)) } } : {},
});

const renewPhoto = ({ keys }: Core, { _id, picture }: PhotoDoc): Renewal => ({
  filter: { _id, 'picture.sealed': picture?.sealed },
  update: picture
    ? { $set: { picture: sealPhoto(keys, _id, 'picture', openPhoto(keys, _id, 'picture', picture)) } }
    : {},
});

const renewWebhook = ({ keys }: Core, webhook: WebhookDoc): Renewal => ({
  filter: { _id: webhook._id, 'secret.sealed': webhook.secret.sealed },
  update: { $set: sealSecretsAgain(keys, webhook) },
});

function renewSecret({ keys }: Core, { _id, key }: SecretDoc): Renewal {
  const renewed = sealValue(keys.secrets, _id, openValue(keys.secrets, _id, key));
  return { filter: { _id, 'key.sealed': key.sealed }, update: { $set: { key: renewed } } };
}

function renewTotp({ keys }: Core, { _id, secret = '' }: TotpDoc): Renewal {
  const renewed = sealTotpSecret(keys, _id, openTotpSecret(keys, _id, secret));
  return { filter: { _id, secret }, update: { $set: { secret: renewed } } };
}

/** How a record of each kind is sealed again: a new kind does not compile without its row. */
const renewals: { [K in SealedKind]: (core: Core, row: SealedDoc<K>) => Renewal } = {
  images: renewDataKey,
  uploads: renewDataKey,
  voices: renewDataKey,
  profiles: renewProfile,
  photos: renewPhoto,
  notes: renewNote,
  invites: renewInvite,
  emergencies: renewEmergency,
  legalHolds: renewLegalHold,
  carers: renewCarer,
  webhooks: renewWebhook,
  totpSecrets: renewTotp,
  secrets: renewSecret,
};

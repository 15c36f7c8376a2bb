import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { openAddress as openCarerAddress, sealAddress as sealCarerAddress } from '@lightbox/core/carers/sealed.js';
import type { Core } from '@lightbox/core/core.js';
import { sealAgain } from '@lightbox/core/emergencies/sealed.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import { openValue, sealValue } from '@lightbox/core/keys/seal.js';
import { openTotpSecret, sealTotpSecret } from '@lightbox/core/keys/totpSecret.js';
import { underOlderKeys } from '@lightbox/core/keys/usage.js';
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
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import type { Person, UserDoc } from '@lightbox/core/models/user.js';
import type { VoiceDoc } from '@lightbox/core/models/voice.js';
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
  const older = underOlderKeys(keys);
  const turn = { until: performance.now() + TURN_MS, renewed: 0 };
  const of = <D>(rows: AsyncIterable<D>, collection: Collection, renew: (row: D) => Renewal) =>
    renewAll(core, turn, rows, collection, renew);

  await of(
    models.Image.find(older.images, { dataKey: 1 }).lean<ImageDoc[]>().cursor(),
    models.Image.collection,
    (row) => renewImage(core, row),
  );
  await of(
    models.Upload.find(older.uploads, { dataKey: 1 }).lean<UploadDoc[]>().cursor(),
    models.Upload.collection,
    (row) => renewImage(core, row),
  );
  await of(
    models.Voice.find(older.voices, { dataKey: 1 }).lean<VoiceDoc[]>().cursor(),
    models.Voice.collection,
    (row) => renewImage(core, row),
  );
  await of(models.User.find(older.profiles).lean<UserDoc[]>().cursor(), models.User.collection, (row) =>
    renewProfile(core, row),
  );
  await of(models.Share.find(older.notes, { note: 1 }).lean<ShareDoc[]>().cursor(), models.Share.collection, (row) =>
    renewNote(core, row),
  );
  await of(models.Invite.find(older.invites).lean<InviteDoc[]>().cursor(), models.Invite.collection, (row) =>
    renewInvite(core, row),
  );
  await of(
    models.Emergency.find(older.emergencies).lean<EmergencyDoc[]>().cursor(),
    models.Emergency.collection,
    (row) => renewEmergency(core, row),
  );
  await of(
    models.LegalHold.find(older.legalHolds).lean<LegalHoldDoc[]>().cursor(),
    models.LegalHold.collection,
    (row) => renewLegalHold(core, row),
  );
  await of(models.Photo.find(older.photos).lean<PhotoDoc[]>().cursor(), models.Photo.collection, (row) =>
    renewPhoto(core, row),
  );
  await of(models.Carer.find(older.carers).lean<CarerDoc[]>().cursor(), models.Carer.collection, (row) =>
    renewCarer(core, row),
  );
  await of(models.Webhook.find(older.webhooks).lean<WebhookDoc[]>().cursor(), models.Webhook.collection, (row) =>
    renewWebhook(core, row),
  );
  await of(models.Secret.find(older.secrets).lean<SecretDoc[]>().cursor(), models.Secret.collection, (row) =>
    renewSecret(core, row),
  );
  await of(models.Totp.find(older.totpSecrets).lean<TotpDoc[]>().cursor(), models.Totp.collection, (row) =>
    renewTotp(core, row),
  );
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
function renewImage({ keys }: Core, { _id, dataKey }: Pick<ImageDoc, '_id' | 'dataKey'>): Renewal {
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

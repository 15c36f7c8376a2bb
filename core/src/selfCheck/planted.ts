import { randomBytes } from 'node:crypto';
import type { ImageViewer } from '@lightbox/contract/images/policy.js';
import { usableAdmin } from '../access/accounts.js';
import type { Core } from '../core.js';
import { type ObjectId, oid } from '../db/ids.js';
import type { CarerDoc } from '../models/carer.js';
import type { EmergencyDoc } from '../models/emergency.js';
import type { GuestLinkDoc } from '../models/guestLink.js';
import type { ImageDoc } from '../models/image.js';
import type { ShareDoc } from '../models/share.js';
import { HOUR_MS } from '../times.js';

/**
 * Ids of planted records begin with eight zeros. Real ids begin with the time of their making, so a record that a
 * crash left behind is found by its id alone.
 */
const plantedId = (): ObjectId => oid(`00000000${randomBytes(8).toString('hex')}`);
const END_OF_PLANTED = oid('00000001'.padEnd(24, '0'));
/** Selects the records that are not planted. */
export const notPlanted = { _id: { $gte: END_OF_PLANTED } };
const LEFT_BEHIND_MS = 10 * 60_000;

const viewers = [
  'admin',
  'owner',
  'otherProvider',
  'otherPatient',
  'patient',
  'pending',
  'locked',
  'verified',
  'viewOnly',
  'copyOnly',
  'revoked',
  'guest',
  'guestDownload',
  'endedGuest',
  'emergency',
  'endedEmergency',
  'carer',
  'endedCarer',
] as const;
export type PlantedViewer = (typeof viewers)[number];

export interface Planted {
  imageId: string;
  viewers: Record<PlantedViewer, ImageViewer>;
  /** False in a database without an administrator, where nobody can have made a link. */
  hasLinks: boolean;
  /** The time at which every share, link and access has expired. */
  later: Date;
}

/** Stores one image with a share, link or access of each kind, for people who do not exist; an administrator makes the links. No list shows them. */
export async function plant({ models, clock, keys }: Core): Promise<Planted> {
  const now = clock.now();
  const until = new Date(now.getTime() + HOUR_MS);
  const ids = Object.fromEntries(viewers.map((name) => [name, plantedId()])) as Record<PlantedViewer, ObjectId>;
  const sealed = { keyId: keys.images.current.id, sealed: randomBytes(60) };
  const reason = { keyId: keys.sharing.current.id, sealed: randomBytes(60) };
  const image = plantedId();
  const seed = () => ({ keyId: keys.codes.current.id, salt: randomBytes(16).toString('base64url') });
  const ended = { live: false, endedAt: now };
  // A link works while its maker may share.
  const maker = await models.User.findOne(usableAdmin, { _id: 1 }).lean();

  const share = (recipient: ObjectId, changes: Partial<ShareDoc>): ShareDoc => ({
    ...seed(),
    _id: plantedId(),
    image,
    sharedBy: ids.owner,
    recipient,
    createAt: now,
    expiresAt: until,
    codeExpiresAt: until,
    tries: 0,
    live: true,
    ...changes,
  });
  const link = (_id: ObjectId, changes: Partial<GuestLinkDoc>): GuestLinkDoc => ({
    ...seed(),
    _id,
    image,
    madeBy: maker?._id ?? ids.owner,
    createAt: now,
    expiresAt: until,
    maxOpens: 1,
    opensLeft: 1,
    tries: 0,
    download: false,
    mailed: false,
    live: true,
    ...changes,
  });
  const emergency = (provider: ObjectId, changes: Partial<EmergencyDoc>): EmergencyDoc => ({
    _id: plantedId(),
    provider,
    patient: ids.patient,
    reason,
    from: now,
    until,
    live: true,
    state: 'approved',
    waits: false,
    ...changes,
  });
  const carer = (person: ObjectId, changes: Partial<CarerDoc>): CarerDoc => ({
    _id: plantedId(),
    patient: ids.patient,
    carer: person,
    state: 'accepted',
    live: true,
    createAt: now,
    expiresAt: until,
    ...changes,
  });
  const record: ImageDoc = {
    _id: image,
    owner: ids.owner,
    patient: ids.patient,
    caption: '',
    contentType: 'image/png',
    size: 0,
    sha256: randomBytes(32).toString('hex'),
    blob: plantedId(),
    dataKey: sealed,
    preview: 'none',
    analysis: 'none',
    audience: [],
    shownTo: [],
    isShared: false,
    isLead: true,
    createAt: now,
  };

  await models.Image.collection.insertOne(record);
  await models.Share.collection.insertMany([
    share(ids.patient, { verifiedAt: now }),
    share(ids.pending, {}),
    share(ids.locked, { tries: 5 }),
    share(ids.verified, { verifiedAt: now }),
    share(ids.viewOnly, { verifiedAt: now, download: false }),
    share(ids.copyOnly, { verifiedAt: now, deidentified: true }),
    share(ids.revoked, { verifiedAt: now, ...ended }),
  ]);
  await models.GuestLink.collection.insertMany([
    link(ids.guest, {}),
    link(ids.guestDownload, { download: true }),
    link(ids.endedGuest, ended),
  ]);
  await models.Emergency.collection.insertMany([emergency(ids.emergency, {}), emergency(ids.endedEmergency, ended)]);
  await models.Carer.collection.insertMany([carer(ids.carer, {}), carer(ids.endedCarer, { ...ended, state: 'ended' })]);

  const as = (role: ImageViewer['role'], name: PlantedViewer): ImageViewer => ({ id: String(ids[name]), role });
  return {
    imageId: String(image),
    hasLinks: maker !== null,
    later: new Date(until.getTime() + 1),
    viewers: {
      admin: as('admin', 'admin'),
      owner: as('healthProvider', 'owner'),
      otherProvider: as('healthProvider', 'otherProvider'),
      otherPatient: as('patient', 'otherPatient'),
      patient: as('patient', 'patient'),
      pending: as('healthProvider', 'pending'),
      locked: as('healthProvider', 'locked'),
      verified: as('healthProvider', 'verified'),
      viewOnly: as('healthProvider', 'viewOnly'),
      copyOnly: as('healthProvider', 'copyOnly'),
      revoked: as('healthProvider', 'revoked'),
      guest: as('guest', 'guest'),
      guestDownload: as('guest', 'guestDownload'),
      endedGuest: as('guest', 'endedGuest'),
      emergency: as('healthProvider', 'emergency'),
      endedEmergency: as('healthProvider', 'endedEmergency'),
      carer: as('patient', 'carer'),
      endedCarer: as('patient', 'endedCarer'),
    },
  };
}

/** Removes the records of one run; without a run, those that a crash left behind. */
export async function uproot({ models, clock }: Core, planted?: Planted): Promise<void> {
  const image = planted ? oid(planted.imageId) : undefined;
  const people = planted ? Object.values(planted.viewers).map(({ id }) => oid(id)) : [];
  const before = new Date(clock.now().getTime() - LEFT_BEHIND_MS);
  const left = (at: string) => ({ _id: { $lt: END_OF_PLANTED }, [at]: { $lt: before } });
  await Promise.all([
    models.Image.collection.deleteMany(image ? { _id: image } : left('createAt')),
    models.Share.collection.deleteMany(image ? { image } : left('createAt')),
    models.GuestLink.collection.deleteMany(image ? { image } : left('createAt')),
    models.Emergency.collection.deleteMany(image ? { provider: { $in: people } } : left('from')),
    models.Carer.collection.deleteMany(image ? { carer: { $in: people } } : left('createAt')),
  ]);
}

import { randomBytes } from 'node:crypto';
import type { TagRow } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { plain } from '@lightbox/contract/plain.js';
import { refreshAudience } from '@lightbox/core/access/audience.js';
import { refreshCards } from '@lightbox/core/access/cards.js';
import { previewContext } from '@lightbox/core/blobs/preview.js';
import { newId, ObjectId } from '@lightbox/core/db/ids.js';
import { sealText } from '@lightbox/core/emergencies/sealed.js';
import { type Drawing, drawingContext, tagsContext } from '@lightbox/core/imaging/drawing.js';
import { codeOf, linkTokenOf, newCodeSeed } from '@lightbox/core/keys/codes.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { Person as StoredPerson } from '@lightbox/core/models/user.js';
import { addressHash, inviteEnd, sealAddress } from '@lightbox/core/sharing/invites.js';
import { sealPerson } from '@lightbox/core/users/profile.js';
import { searchFields } from '@lightbox/core/users/search.js';
import { startSession } from '../auth/sessions.js';
import type { Gateway } from '../context.js';
import { png } from './files.js';

export const PASSWORD = 'Granite-Willow-77';
/**
 * Of `PASSWORD`, with Argon2’s smallest parameters, which a check reads from here: checking a hash of the product is slow
 * on purpose.
 */
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$YSBzYWx0IGZvciB0ZXN0cw$ARSz8j1g0bBFCZQ3lc2M7u35AcYmeN85hoeJ90QN/CY';

export interface Person {
  _id: ObjectId;
  id: string;
  role: Role;
  email: string;
  username: string;
  /** A valid access token, as after a sign-in. */
  token: string;
  sessionId: ObjectId;
}

async function buildUser(gateway: Gateway, role: Role, changes: Partial<StoredPerson>): Promise<Person> {
  const unique = randomBytes(5).toString('hex');
  const username = changes.username ?? `${role.toLowerCase()}.${unique}`;
  const names = {
    firstname: 'Ada',
    lastname: `Test${unique}`,
    email: `${username}@hospital.test`,
    ...changes,
    username,
  };
  const user: StoredPerson = {
    _id: newId(),
    usernameKey: plain(username),
    passwordHash,
    role,
    status: 'active',
    active: true,
    ...searchFields(names),
    createAt: gateway.clock.now(),
    ...names,
  };
  await gateway.models.User.create([sealPerson(gateway.keys, user)]);
  const session = await signIn(gateway, user._id);
  return { _id: user._id, id: String(user._id), role, email: user.email, username, ...session };
}

/** Opens another session of the same person. */
export async function signIn(gateway: Gateway, user: ObjectId): Promise<{ token: string; sessionId: ObjectId }> {
  const session = await startSession(gateway, user, '127.0.0.1', null);
  return { token: gateway.tokens.access(String(user), String(session._id)), sessionId: session._id };
}

const MARGIN_SECONDS = 5;

/**
 * Returns an id from before the first event of a person. A search for the events begins there, because events have no index by
 * actor. The id of an event has MongoDB's time and that of the person this machine's, so it may be the smaller one.
 */
export const idBeforeEvents = (person: ObjectId): ObjectId =>
  ObjectId.createFromTime(person.getTimestamp().getTime() / 1000 - MARGIN_SECONDS);

export const buildPatient = (gateway: Gateway, changes: Partial<StoredPerson> = {}) =>
  buildUser(gateway, 'patient', { dob: '1980-05-17', bloodgroup: 'AB+', phone: '+92 300 1234567', ...changes });
export const buildProvider = (gateway: Gateway, changes: Partial<StoredPerson> = {}) =>
  buildUser(gateway, 'healthProvider', { licensenumber: 'LIC-77', ...changes });
export const buildAdmin = (gateway: Gateway, changes: Partial<StoredPerson> = {}) =>
  buildUser(gateway, 'admin', changes);

interface Sample {
  blob: ObjectId;
  key: Buffer;
}
const samples = new WeakMap<Gateway, Promise<Sample>>();
export const sampleFile = png(3, 2);

/**
 * Stores the one blob that all images of a gateway's tests share. Each image has its own record, and its own wrapping
 * of the key.
 */
async function storeSample(gateway: Gateway): Promise<Sample> {
  const sample = { blob: newId(), key: randomBytes(32) };
  await gateway.blobs.write(
    sample.blob,
    sample.key,
    (async function* () {
      yield sampleFile;
    })(),
  );
  return sample;
}

const sampleDrawing: Drawing = {
  facts: { kind: 'picture', frames: 1, rows: 2, columns: 3, modality: 'OT', windows: [], previewFrame: 1 },
  source: 'file',
  mediaType: 'image/png',
  frames: [[[0, sampleFile.length]]],
};

/** Stores a drawing as a worker does. `key` is the data key of the image. */
export async function storeDrawing(
  { models }: Gateway,
  { _id, key }: { _id: ObjectId; key: Buffer },
  drawing: Drawing,
  tags: TagRow[] = [],
  plain?: DrawingDoc['plain'],
): Promise<void> {
  const sealed = (context: string, value: unknown) => seal(key, context, Buffer.from(JSON.stringify(value)));
  const id = String(_id);
  const doc: DrawingDoc = {
    _id,
    drawing: sealed(drawingContext(id), drawing),
    tags: sealed(tagsContext(id), tags),
    version: 1,
    ...(plain ? { plain } : {}),
  };
  await models.Drawing.replaceOne({ _id }, doc, { upsert: true });
}

export interface BuiltImage {
  _id: ObjectId;
  id: string;
  owner: Person;
  /** The study that the image stands for; a share that is built for the image is then of the study. */
  study?: ObjectId;
}

export async function buildImage(
  gateway: Gateway,
  { owner, ...changes }: { owner?: Person } & Partial<Omit<ImageDoc, 'owner'>> = {},
): Promise<BuiltImage> {
  const person = owner ?? (await buildProvider(gateway));
  const sample = samples.get(gateway) ?? storeSample(gateway);
  samples.set(gateway, sample);
  const { blob, key } = await sample;
  const _id = newId();
  const { id: keyId, key: wrapping } = gateway.keys.images.current;
  const image: ImageDoc = {
    _id,
    owner: person._id,
    caption: 'Left hand, before the cast',
    contentType: 'image/png',
    size: sampleFile.length,
    sha256: '',
    width: 3,
    height: 2,
    blob,
    dataKey: { keyId, sealed: seal(wrapping, String(_id), key) },
    preview: 'ready',
    analysis: 'none',
    audience: [],
    shownTo: [],
    isShared: false,
    isLead: true,
    createAt: gateway.clock.now(),
    ...changes,
  };
  await gateway.models.Image.collection.insertOne(image);
  await addCard(gateway, _id);
  if (image.preview === 'ready') {
    const sealed = seal(key, previewContext(String(_id)), Buffer.from('not really webp'));
    await gateway.models.Preview.create([{ _id, sealed, width: 3, height: 2 }]);
    await storeDrawing(gateway, { _id, key }, sampleDrawing);
  }
  return { _id, id: String(_id), owner: person };
}

const addCard = ({ db, models, clock }: Gateway, image: ObjectId): Promise<unknown> =>
  db.transaction((session) => refreshCards(models, { image }, clock.now(), session));

/** Stores a study of one image, and returns the image. */
export async function buildStudy(
  gateway: Gateway,
  wishes: { owner?: Person; patient?: ObjectId } = {},
): Promise<BuiltImage & { study: ObjectId }> {
  const study = newId();
  const image = await buildImage(gateway, { ...wishes, study });
  const record: StudyDoc = {
    _id: study,
    owner: image.owner._id,
    ...(wishes.patient ? { patient: wishes.patient } : {}),
    kind: 'pictures',
    title: 'Left hand',
    modalities: [],
    createAt: gateway.clock.now(),
    images: 1,
    bytes: sampleFile.length,
    lead: image._id,
  };
  await gateway.models.Study.create([record]);
  await addCard(gateway, image._id);
  return { ...image, study };
}

export interface BuiltShare {
  _id: ObjectId;
  id: string;
  image: BuiltImage;
  recipient: Person;
  code: string;
}

interface ShareWishes extends Partial<ShareDocTimes> {
  image?: BuiltImage;
  recipient?: Person;
  verified?: boolean;
  revoked?: boolean;
  /** Hours from now, negative for a share that has ended; null for a patient's permanent share. */
  hours?: number | null;
}
type ShareDocTimes = Pick<ShareDoc, 'tries' | 'download' | 'deidentified'>;

export async function buildShare(gateway: Gateway, wishes: ShareWishes = {}): Promise<BuiltShare> {
  const image = wishes.image ?? (await buildImage(gateway));
  const recipient = wishes.recipient ?? (await buildProvider(gateway));
  const now = gateway.clock.now();
  const hours = wishes.hours === undefined ? 24 : wishes.hours;
  const share: ShareDoc = {
    _id: newId(),
    image: image._id,
    ...(image.study ? { study: image.study } : {}),
    sharedBy: image.owner._id,
    recipient: recipient._id,
    createAt: now,
    ...(hours === null ? {} : { expiresAt: new Date(now.getTime() + hours * 3_600_000) }),
    codeExpiresAt: new Date(now.getTime() + (hours ?? 720) * 3_600_000),
    ...newCodeSeed(gateway.keys.codes),
    tries: wishes.tries ?? 0,
    ...(wishes.download === false ? { download: false } : {}),
    ...(wishes.deidentified ? { deidentified: true } : {}),
    ...(wishes.verified ? { verifiedAt: now } : {}),
    live: !wishes.revoked,
  };
  await gateway.models.Share.create([share]);
  await gateway.db.transaction((session) => refreshAudience(gateway.models, share, now, session));
  return { _id: share._id, id: String(share._id), image, recipient, code: await shareCode(gateway, share._id) };
}

/** Stores an invitation that waits, and returns it with the token of its mail. */
export async function buildInvite(
  { models, keys, clock }: Gateway,
  {
    image,
    email = `${newId()}@hospital.test`,
    ...changes
  }: { image: BuiltImage; email?: string } & Partial<Omit<InviteDoc, 'image'>>,
): Promise<InviteDoc & { token: string }> {
  const _id = newId();
  const now = clock.now();
  const invite: InviteDoc = {
    _id,
    batch: newId(),
    addressHash: addressHash(keys, email),
    address: sealAddress(keys, _id, email),
    by: image.owner._id,
    ...(image.study ? { study: image.study } : { image: image._id }),
    hours: 24,
    createAt: now,
    expiresAt: inviteEnd(now),
    ...newCodeSeed(keys.codes),
    ...changes,
  };
  await models.Invite.create([invite]);
  return { ...invite, token: linkTokenOf(keys.codes, String(_id), invite) ?? '' };
}

/** Stores an emergency access of a provider to the images of a patient. */
export async function buildEmergency(
  { models, keys, clock }: Gateway,
  {
    provider,
    patient,
    minutes = limits.emergencyMinutes,
    ...changes
  }: { provider: Person; patient: Person /** From now; negative when it is over. */; minutes?: number } & Partial<
    Omit<EmergencyDoc, 'provider' | 'patient'>
  >,
): Promise<EmergencyDoc> {
  const _id = newId();
  const now = clock.now();
  const emergency: EmergencyDoc = {
    _id,
    provider: provider._id,
    patient: patient._id,
    reason: sealText(keys, _id, 'reason', 'Unconscious after a fall'),
    from: now,
    until: new Date(now.getTime() + minutes * 60_000),
    live: true,
    state: 'open',
    waits: true,
    ...changes,
  };
  await models.Emergency.create([emergency]);
  return emergency;
}

/** Stores a carer of a patient, who has accepted. */
export async function buildCarer(
  { models, clock }: Gateway,
  { patient, carer, ...changes }: { patient: Person; carer: Person } & Partial<Omit<CarerDoc, 'patient' | 'carer'>>,
): Promise<CarerDoc> {
  const now = clock.now();
  const built: CarerDoc = {
    _id: newId(),
    patient: patient._id,
    carer: carer._id,
    state: 'accepted',
    live: true,
    createAt: now,
    expiresAt: new Date(now.getTime() + limits.carerDays * 86_400_000),
    acceptedAt: now,
    ...changes,
  };
  await models.Carer.create([built]);
  return built;
}

/** Returns the code that the mail of this share carries now. */
export async function shareCode(gateway: Gateway, id: ObjectId): Promise<string> {
  const share = await gateway.models.Share.findById(id).lean<ShareDoc>();
  return (share && codeOf(gateway.keys.codes, String(id), share)) ?? '';
}

/** Returns the newest code of a person, as in their mail. */
export async function mailedCode(
  gateway: Gateway,
  user: ObjectId | string,
  purpose: CodeDoc['purpose'] = 'signIn',
): Promise<{ _id: ObjectId; code: string; seed: CodeDoc }> {
  const seed = await gateway.models.Code.findOne({ user, purpose }).sort({ createAt: -1, _id: -1 }).lean<CodeDoc>();
  if (!seed) throw new Error('No code was issued.');
  return { _id: seed._id, seed, code: codeOf(gateway.keys.codes, String(seed._id), seed) ?? '' };
}

export const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

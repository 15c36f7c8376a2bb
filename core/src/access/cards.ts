import { kindOf } from '@lightbox/contract/images/names.js';
import { shareState } from '@lightbox/contract/sharing/states.js';
import type { ClientSession, mongo } from 'mongoose';
import { newId, type ObjectId, oid, sameId } from '../db/ids.js';
import type { CardDoc } from '../models/card.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';
import type { StudyDoc } from '../models/study.js';
import type { UserDoc } from '../models/user.js';
import { beginsWith, wordsOf } from '../users/search.js';
import { touch } from './hold.js';
import { notHeld } from './requests.js';
import { covering, covers, liveShare, opensOriginal, type ShareTarget, strongest } from './shares.js';

/**
 * Writes the cards of an image or a study anew. Part of every transaction that changes who sees it, who may open it, when
 * that ends, or one of the facts by which people find it.
 */
export async function refreshCards(
  models: Models,
  target: ShareTarget,
  now: Date,
  session: ClientSession,
): Promise<void> {
  const study = target.study ?? (await models.Image.findById(target.image, { study: 1 }, { session }).lean())?.study;
  const of = study ? { study } : { _id: target.image };
  // Two changes of one image at the same moment: the second is repeated, and sees the first.
  await models.Image.updateMany({ ...of, ...onCards }, touch, { session });
  const rows = await models.Image.find({ ...of, ...onCards }, null, { session }).lean<ImageDoc[]>();
  const cards = await cardsOf(models, rows, now, session);
  const held = cards.map(({ image, person }) => ({ image, person }));
  const all = study ? { study } : { image: target.image };
  await models.Card.deleteMany({ ...all, ...(held.length > 0 ? { $nor: held } : {}) }, { session });
  await writeCards(models, cards, session);
}

/**
 * The card of an image that is about to be written, the first of its study if it has one, and that only its owner sees. It
 * names no patient, who would see it too.
 */
export const firstCard = (image: ImageDoc, study: StudyDoc | null): CardDoc => ({
  _id: newId(image.createAt),
  ...ownCard({ image, study: study ? { ...study, captions: [] } : undefined, name: {} }, [], image.createAt),
});

type CardStudy = StudyDoc & { captions: string[] };

/** The name of a patient. */
export type Name = Pick<UserDoc, 'firstname' | 'lastname'>;

/** An image with what its cards show of its study and its patient. */
interface CardSource {
  image: ImageDoc;
  study?: CardStudy | undefined;
  name: Name;
}

const nameWords = ({ firstname = '', lastname = '' }: Name): string[] => wordsOf(`${firstname} ${lastname}`);

/**
 * The cards with a word that begins with the term, of captions and title or of the patient's name. Both are fields of their
 * own: of several words in one field, MongoDB looks up the first alone, and it may be the most frequent one.
 */
export const withTerm = (term: string) => ({
  $or: [{ words: beginsWith(term) }, { names: beginsWith(term) }],
});

/**
 * Writes the new name of a patient on all cards that show the patient; without a name the old one is removed. Part of each
 * transaction that changes a name.
 */
export async function renameOnCards(
  models: Models,
  patient: ObjectId,
  name: Name,
  session: ClientSession,
): Promise<void> {
  const of = { patient, ...onCards };
  // As in `refreshCards`. A transaction that makes an image the patient's writes the account, as that of the name does.
  await models.Image.updateMany(of, touch, { session });
  const images = await models.Image.distinct('_id', of).session(session);
  const names = nameWords(name);
  await models.Card.updateMany({ image: { $in: images }, patient }, { $set: { names } }, { session });
}

/** Words on a card, at most. Those of the own caption and of the title come first. */
const WORDS = 500;

type CardRow = Omit<CardDoc, '_id'>;

/** Pictures of a study whose captions are on cards, at most. */
const CAPTIONS = 1_000;

/** Images whose cards one transaction of `addCards` adds. */
const BATCH = 200;

/** The images that stand on somebody's card, as a filter. Held images of a request have no card until they are taken. */
const onCards = { ...notHeld, $or: [{ isLead: true }, { 'shownTo.0': { $exists: true } }] };

/** Makes the cards of a database of a version without cards, some images at a time. Returns the last image; null at the end. */
export async function addCards(models: Models, after: ObjectId | null, now: Date): Promise<ObjectId | null> {
  const batch = await models.Image.find(after ? { _id: { $gt: after } } : {}, { _id: 1 })
    .sort({ _id: 1 })
    .limit(BATCH)
    .lean();
  const ids = batch.map(({ _id }) => _id);
  await models.Image.db.transaction(async (session) => {
    const of = { _id: { $in: ids }, ...onCards };
    await models.Image.updateMany(of, touch, { session });
    const rows = await models.Image.find(of, null, { session }).lean<ImageDoc[]>();
    await writeCards(models, await cardsOf(models, rows, now, session), session);
  });
  return ids.at(-1) ?? null;
}

const LEAST_ID = oid('0'.repeat(24));

/**
 * Writes the name of the next patient who has images on their cards, in a database of a version without names on cards.
 * Returns the patient; null at the end.
 */
export async function addNames(models: Models, after: ObjectId | null): Promise<ObjectId | null> {
  const next = { patient: { $gt: after ?? LEAST_ID } };
  const image = await models.Image.findOne(next, { patient: 1 }).sort({ patient: 1 }).lean<ImageDoc>();
  const patient = image?.patient;
  if (!patient) return null;
  await models.User.db.transaction(async (session) => {
    const fields = { firstname: 1, lastname: 1 };
    // Written, so that a change of the name at the same moment comes before or after.
    const user = await models.User.findByIdAndUpdate(patient, touch, { session, projection: fields }).lean<UserDoc>();
    await renameOnCards(models, patient, user ?? {}, session);
  });
  return patient;
}

async function writeCards(models: Models, cards: CardRow[], session: ClientSession): Promise<void> {
  if (cards.length === 0) return;
  const writes = cards.map(
    ({ image, person, ...card }): mongo.AnyBulkWriteOperation<CardDoc> => ({
      replaceOne: { filter: { image, person }, replacement: { image, person, ...card }, upsert: true },
    }),
  );
  await models.Card.collection.bulkWrite(writes as never, { session });
}

async function cardsOf(models: Models, rows: ImageDoc[], now: Date, session: ClientSession): Promise<CardRow[]> {
  if (rows.length === 0) return [];
  const ids = rows.flatMap(({ study }) => (study ? [study] : []));
  const shares = await models.Share.find({ ...covering(rows), ...liveShare(now) }, null, { session }).lean<
    ShareDoc[]
  >();
  const studies = await models.Study.find({ _id: { $in: ids } }, null, { session }).lean<StudyDoc[]>();
  const captions = await captionsOf(models, studies, session);
  const names = await namesOf(models, rows, session);
  return rows.flatMap((image) => {
    const found = studies.find(({ _id }) => sameId(_id, image.study));
    const study = found && { ...found, captions: captions.get(String(found._id)) ?? [] };
    const given = shares.filter((share) => covers(share, image));
    return cardsOfImage({ image, study, name: names.get(String(image.patient)) ?? {} }, given, now);
  });
}

/** Returns the cards of one image, by the live shares that cover it. `captions`: those of the study's pictures. */
export function cardsOfImage(of: CardSource, given: ShareDoc[], now: Date): CardRow[] {
  const { image } = of;
  const people = image.shownTo.filter((person) => !person.equals(image.owner));
  const received = people.flatMap((person) => {
    const theirs = given.filter(({ recipient }) => recipient.equals(person));
    return theirs.length > 0 ? [receivedCard(of, person, theirs, now)] : [];
  });
  return image.isLead ? [ownCard(of, given, now), ...received] : received;
}

async function namesOf(models: Models, rows: ImageDoc[], session: ClientSession): Promise<Map<string, Name>> {
  const ids = rows.flatMap(({ patient }) => (patient ? [patient] : []));
  if (ids.length === 0) return new Map();
  const fields = { firstname: 1, lastname: 1 };
  const people = await models.User.find({ _id: { $in: ids } }, fields, { session }).lean<UserDoc[]>();
  return new Map(people.map((one) => [String(one._id), one]));
}

/**
 * Returns the captions of the pictures of each study that was put together of pictures. The files of a DICOM study are
 * found by its title.
 */
async function captionsOf(models: Models, studies: StudyDoc[], session: ClientSession): Promise<Map<string, string[]>> {
  const captions = new Map<string, string[]>();
  for (const { _id, kind } of studies) {
    if (kind !== 'pictures') continue;
    const pictures = await models.Image.find({ study: _id }, { caption: 1 }, { session })
      .sort({ createAt: 1, _id: 1 })
      .limit(CAPTIONS)
      .lean<Pick<ImageDoc, 'caption'>[]>();
    captions.set(
      String(_id),
      pictures.map(({ caption }) => caption),
    );
  }
  return captions;
}

const ownCard = ({ image, ...about }: CardSource, given: ShareDoc[], now: Date): CardRow => ({
  ...outline(image),
  person: image.owner,
  own: true,
  shared: image.isShared,
  at: image.createAt,
  ...states(given, now),
  ...facts({ image, ...about }),
});

function receivedCard({ image, study, name }: CardSource, person: ObjectId, theirs: ShareDoc[], now: Date): CardRow {
  const mine = strongest(theirs);
  const opened = theirs.filter(({ verifiedAt }) => verifiedAt);
  const originals = opened.filter(opensOriginal);
  // Somebody with a share of the image alone, or with copies of the study, learns no words of the study.
  const knowsStudy = originals.some((share) => share.study);
  return {
    ...outline(image),
    person,
    own: false,
    shared: true,
    at: new Date(Math.max(...theirs.map(({ createAt }) => createAt.getTime()))),
    ...states(mine ? [mine] : [], now),
    ...(originals.length > 0
      ? facts({ image, study: knowsStudy ? study : undefined, name })
      : opened.length > 0
        ? factsOfCopy(image)
        : {}),
  };
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The facts that everybody with a card sees. */
const outline = (image: ImageDoc) => ({
  image: image._id,
  ...(image.study ? { study: image.study } : {}),
  kind: kindOf(image.contentType),
  day: dayOf(image.createAt),
  words: [],
  modalities: [],
});

function states(shares: ShareDoc[], now: Date): Pick<CardDoc, 'waiting' | 'locked' | 'endsAt'> {
  const ends = shares.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []));
  return {
    waiting: shares.some(({ verifiedAt }) => !verifiedAt),
    locked: shares.some((share) => shareState(share, now) === 'locked'),
    ...(ends.length > 0 ? { endsAt: new Date(Math.min(...ends)) } : {}),
  };
}

/** The facts that only people see who may open the image. */
function facts({
  image,
  study,
  name,
}: CardSource): Pick<CardDoc, 'words' | 'names' | 'modalities' | 'day' | 'patient'> {
  const { caption, dicom, patient, createAt } = image;
  return {
    words: [...new Set([caption, study?.title ?? '', ...(study?.captions ?? [])].flatMap(wordsOf))].slice(0, WORDS),
    modalities: [...new Set([...(study?.modalities ?? []), ...(dicom?.modality ? [dicom.modality] : [])])],
    day: study?.studyDate ?? dicom?.studyDate ?? dayOf(createAt),
    ...(patient ? { patient, names: nameWords(name) } : {}),
  };
}

/** Of a copy without identity nobody finds anything but the modality: captions, titles and dates may name the patient. */
const factsOfCopy = ({ dicom }: ImageDoc): Partial<CardDoc> =>
  dicom?.modality ? { modalities: [dicom.modality] } : {};

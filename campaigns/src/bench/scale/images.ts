import { randomBytes } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { listFields } from '@lightbox/core/access/audience.js';
import { cardsOfImage } from '@lightbox/core/access/cards.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import { sealValue } from '@lightbox/core/keys/seal.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { chance, pick, textOf } from './chance.js';
import { Inserts } from './insert.js';
import { type People, type Place, type Size, timeOf } from './world.js';

type Id = ImageDoc['_id'];

/** Images that are made together: a study of ten, and ten single ones. */
const BLOCK = 20;
const STUDY = 10;
/** So many images have the rare word, kind and modality, whatever the size. */
const RARE = 20;
export const RARE_WORD = 'scaphoid';
/** A word of about a third of the captions. */
export const FREQUENT_WORD = 'chest';
export const RARE_MODALITY = 'MG';

export interface FilledImages {
  /** An image and a study of the owner, shared, in the middle of the list. */
  shared: Id;
  study: Id;
  patient: Id;
  /** Ids of some images, and of some that show the patient who makes calls, for entries of the log. */
  some: Id[];
  ofPatient: Id[];
}

interface Drafts {
  images: ImageDoc[];
  shares: ShareDoc[];
  study: StudyDoc;
}

/** Stores images, their studies, shares and cards, by the functions with which the product makes them. */
export async function fillImages(place: Place, size: Size, people: People): Promise<FilledImages> {
  const { models } = place;
  const now = new Date();
  const into = {
    images: new Inserts(models.Image),
    cards: new Inserts(models.Card),
    shares: new Inserts(models.Share),
    studies: new Inserts(models.Study),
  };
  const blocks = size.images / BLOCK;
  const some: Id[] = [];
  const ofPatient: Id[] = [];
  let middle: FilledImages | undefined;
  for (let block = 0; block < blocks; block++) {
    const made = makeBlock(place, size, people, block, now);
    const { images, shares, study } = made;
    await into.images.add(...images);
    await into.shares.add(...shares);
    await into.studies.add(study);
    for (const image of images) {
      const name = people.names.get(String(image.patient)) ?? {};
      const of = { image, study: image.study ? { ...study, captions: [] } : undefined, name };
      const live = shares.filter((share) => share.live);
      const covering = live.filter((share) => (share.study ? image.study : share.image.equals(image._id)));
      await into.cards.add(...cardsOfImage(of, covering, now).map((card) => ({ _id: newId(), ...card })));
    }
    if (block % Math.ceil(blocks / 500) === 0 && images[0]) some.push(images[0]._id);
    if (showsCaller(block) && ofPatient.length < 10) ofPatient.push((images.at(-1) as ImageDoc)._id);
    if (block >= blocks / 2 && block % 2 === 0) middle ??= sampleOf(made, some, ofPatient);
  }
  await Promise.all(Object.values(into).map((inserts) => inserts.end()));
  if (!middle) throw new Error('No block of the owner is in the middle.');
  return middle;
}

const sampleOf = ({ images, study }: Drafts, some: Id[], ofPatient: Id[]): FilledImages => ({
  shared: (images.at(-1) as ImageDoc)._id,
  study: study._id,
  patient: (images.at(-1) as ImageDoc).patient as Id,
  some,
  ofPatient,
});

/** The patient who makes calls has a thousandth of all images, and sees them. */
const showsCaller = (block: number): boolean => block % 50 === 2;

function makeBlock(place: Place, size: Size, people: People, block: number, now: Date): Drafts {
  const owner = block % 2 === 0 ? oid(people.owner.id) : pick(people.providers, block);
  const theirs = showsCaller(block);
  const patient = theirs ? oid(people.patient.id) : pick(people.patients, block * 3 + 1);
  const study = newId();
  const first = block * BLOCK;
  const images = Array.from({ length: BLOCK }, (_, k): ImageDoc => {
    const inStudy = k < STUDY;
    const mine = inStudy || k > 15 ? patient : undefined;
    return {
      ...newImage(place, size, first + k, owner, now, inStudy),
      ...(mine ? { patient: mine } : {}),
      ...(inStudy ? { study } : {}),
    };
  });
  const [lead] = images as [ImageDoc, ...ImageDoc[]];
  const shares: ShareDoc[] = [];
  const give = (image: ImageDoc, recipient: Id, of?: Id) => {
    if (!recipient.equals(owner))
      shares.push(
        newShare(place, image, recipient, shares.length + first, of, stateOf(first + images.indexOf(image), size)),
      );
  };
  give(lead, pick(people.providers, block * 5 + 2), study);
  // The recipient who makes calls sees a tenth of all images.
  for (const k of [10, 11]) give(images[k] as ImageDoc, oid(people.recipient.id));
  if (theirs) give(images[19] as ImageDoc, patient);
  else give(images[19] as ImageDoc, pick(people.providers, block * 11 + 3));
  for (const image of images) {
    const live = shares.filter((share) => share.live && (share.study ? image.study : share.image.equals(image._id)));
    Object.assign(image, listFields(owner, live, image.isLead));
  }
  const bytes = images.slice(0, STUDY).reduce((sum, image) => sum + image.size, 0);
  return {
    images,
    shares,
    study: {
      ...{ _id: study, owner, patient, kind: 'dicom', title: textOf(block + 7, 3), createAt: lead.createAt },
      ...{ key: String(study), studyDate: lead.createAt.toISOString().slice(0, 10), modalities: ['CT'] },
      ...{ images: STUDY, bytes, lead: lead._id },
    },
  };
}

function newImage({ keys }: Place, size: Size, i: number, owner: Id, now: Date, inStudy: boolean): ImageDoc {
  const _id = newId();
  const isRare = i % Math.floor(size.images / RARE) === 11;
  const createAt = timeOf(i, size.images, now);
  const modality = inStudy ? 'CT' : isRare ? RARE_MODALITY : pick(['CR', 'DX', 'US'], i);
  return {
    _id,
    owner,
    caption: `${isRare ? RARE_WORD : textOf(i, 3)} ${chance(i) < 0.3 ? FREQUENT_WORD : ''} ${i}`,
    contentType: inStudy ? 'application/dicom' : isRare ? 'application/pdf' : 'image/png',
    size: 500_000 + (i % 1000),
    sha256: randomBytes(32).toString('hex'),
    blob: newId(),
    dataKey: sealValue(keys.images, String(_id), randomBytes(32)),
    preview: 'none',
    analysis: 'none',
    ...(inStudy || isRare || i % 3 === 0
      ? { dicom: { modality, studyDate: createAt.toISOString().slice(0, 10) } }
      : {}),
    audience: [],
    shownTo: [],
    isShared: false,
    isLead: !inStudy || i % BLOCK === 0,
    createAt,
  };
}

/** As many shares in each of these states as there are rare images. */
const stateOf = (i: number, { images }: Size): 'locked' | 'endsSoon' | 'other' =>
  i % Math.floor(images / RARE) === 11 ? 'locked' : i % Math.floor(images / RARE) === 10 ? 'endsSoon' : 'other';

function newShare(
  { keys }: Place,
  image: ImageDoc,
  recipient: Id,
  i: number,
  study: Id | undefined,
  state: ReturnType<typeof stateOf>,
): ShareDoc {
  const ended = state === 'other' && chance(i * 17 + 1) < 0.1;
  const end = new Date(Date.now() + (state === 'endsSoon' ? 0.9 : 1.5 + chance(i) * 28) * 86_400_000);
  const at = image.createAt;
  return {
    ...{ _id: newId(), image: image._id, sharedBy: image.owner, recipient, createAt: at, expiresAt: end },
    ...{
      codeExpiresAt: end,
      tries: state === 'locked' ? limits.codeTries : 0,
      live: !ended,
      ...newCodeSeed(keys.codes),
    },
    ...(study ? { study } : {}),
    ...(state !== 'locked' && chance(i * 3) < 0.7 ? { verifiedAt: at } : {}),
    ...(ended ? { endedAt: at } : {}),
  };
}

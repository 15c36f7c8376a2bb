import type { StudyKind } from '@lightbox/contract/studies/schemas.js';
import { texts } from '@lightbox/contract/texts.js';
import { listFields } from '../access/audience.js';
import { touch } from '../access/hold.js';
import { liveShare } from '../access/shares.js';
import type { Core } from '../core.js';
import { isDuplicate, newId, type ObjectId, sameId } from '../db/ids.js';
import { fieldError } from '../errors.js';
import type { Transaction } from '../events/events.js';
import type { FileIdentity } from '../imaging/fileIdentity.js';
import type { ImageDoc } from '../models/image.js';
import type { ShareDoc } from '../models/share.js';
import type { StudyDoc } from '../models/study.js';
import { sealName } from './names.js';
import { sliceOf } from './order.js';
import { namesPatient, titleOf } from './title.js';

export interface Joining {
  image: Pick<ImageDoc, '_id' | 'owner' | 'patient' | 'size' | 'contentType' | 'dataKey' | 'createAt'>;
  /** A study of pictures that the person chose. */
  studyId?: ObjectId;
  /** Of a copy without identity: its study of copies, and its original. */
  copies?: Copies;
  identity?: FileIdentity;
  /** The request for which a file arrived: it joins no study of before. */
  request?: ObjectId;
  /** A program sends the files of the study: the owner is told when no more come. */
  arrives?: true;
  filename?: string;
}

export interface Copies {
  /** The study of copies. */
  study: ObjectId;
  /** The image that was copied, and its study. */
  original: ObjectId;
  from: ObjectId;
  kind: StudyKind;
  /** The title of a study that may begin with this copy. */
  title?: string | undefined;
  /** The number of copies that such a study will have. */
  planned?: number | undefined;
}

type Joined = Pick<ImageDoc, 'audience' | 'shownTo' | 'isShared' | 'isLead' | 'patient' | 'study' | 'series' | 'place'>;

export interface JoinedStudy {
  /** The fields of the image's record that depend on its study. */
  fields: Joined;
  /** Null for an image without a study. */
  study: StudyDoc | null;
  /** True when the image is the first of its study, which the transaction writes at its end. */
  begins: boolean;
  /** True when the upload changes the cards of the gallery: those of a study have facts of all its images. */
  changesCards: boolean;
  /** True when the upload names the patient of a study that had images and named nobody. */
  namesPatient: boolean;
}

const alone: JoinedStudy = {
  fields: { audience: [], shownTo: [], isShared: false, isLead: true },
  study: null,
  begins: false,
  changesCards: true,
  namesPatient: false,
};

/**
 * Runs the work that records an upload, which calls `joinStudy` in its transaction. When another gateway has begun the
 * same study at the same moment, the work is repeated and finds it.
 */
export function withStudy<T>({ studyId, copies, identity }: Joining, work: () => Promise<T>): Promise<T> {
  if (!studyId && !copies && !identity?.studyUid) return work();
  const repeat = async (error: unknown): Promise<T> => {
    if (!isDuplicate(error)) throw error;
    return work();
  };
  return work().catch(repeat).catch(repeat);
}

/**
 * Returns true when the owner has no study yet that an upload of a DICOM file would join. Ask before the transaction: uploads
 * that arrive at the same moment share the read.
 */
export async function seemsFirst(core: Core, joining: Joining): Promise<boolean> {
  const key = joining.studyId || joining.copies ? null : await keyOf(core, joining);
  return key !== null && !(await core.hasStudy(key));
}

/**
 * Makes an image that is about to be recorded part of a study: the one that the person chose, or for a DICOM file the
 * owner's study that its header names, which is begun if it is new. Part of the upload's transaction. `isFirst`: begin the
 * study without looking for it. Another one may have begun it meanwhile, and then the transaction fails with a duplicate.
 */
export async function joinStudy(core: Core, tx: Transaction, joining: Joining, isFirst: boolean): Promise<JoinedStudy> {
  const found = await studyOf(core, tx, joining, isFirst);
  if (!found) return alone;
  const { study, isNew } = found;
  const { image, copies, identity, filename, arrives } = joining;
  const isLead = !study.lead;
  const patient = study.patient ?? image.patient;
  const studyDate = study.studyDate ?? identity?.studyDate;
  const joined = {
    ...(isLead ? { lead: image._id } : {}),
    ...(patient ? { patient } : {}),
    ...(studyDate ? { studyDate } : {}),
    ...(arrives ? { arrivedAt: core.clock.now() } : {}),
  };
  const isWhole = study.planned !== undefined && (study.copied?.length ?? 0) + 1 >= study.planned;
  const series = study.kind === 'dicom' ? await seriesOf(core, study._id, identity ?? {}) : undefined;
  const place = {
    ...sliceOf(identity?.position, identity?.orientation),
    ...(identity?.instanceNumber === undefined ? {} : { instance: identity.instanceNumber }),
    ...(filename ? { name: sealName(core, image, filename) } : {}),
  };
  const fields = {
    isLead,
    study: study._id,
    place,
    ...(patient ? { patient } : {}),
    ...(series ? { series } : {}),
  };
  if (isNew) {
    const { planned, ...begun } = study;
    const first: StudyDoc = {
      ...begun,
      ...joined,
      ...(planned !== undefined && !isWhole ? { planned } : {}),
      ...(copies ? { copied: [copies.original] } : {}),
      modalities: identity?.modality ? [identity.modality] : [],
      images: 1,
      bytes: image.size,
    };
    tx.inserts.add(core.models.Study, first);
    // Nobody has a share of it yet.
    const shown = listFields(image.owner, [], isLead);
    return { study: first, begins: true, changesCards: true, namesPatient: false, fields: { ...shown, ...fields } };
  }
  const added = {
    ...(identity?.modality ? { modalities: identity.modality } : {}),
    ...(copies ? { copied: copies.original } : {}),
  };
  const grown = await core.models.Study.findOneAndUpdate(
    { _id: study._id },
    {
      $inc: { images: 1, bytes: image.size, ...touch.$inc },
      ...(Object.keys(joined).length > 0 ? { $set: joined } : {}),
      ...(Object.keys(added).length > 0 ? { $addToSet: added } : {}),
      ...(isWhole ? { $unset: { planned: 1 } } : {}),
    },
    { session: tx.session, returnDocument: 'after' },
  ).lean<StudyDoc>();
  const namesPatient = study.images > 0 && !study.patient && image.patient !== undefined;
  if (!study.patient && image.patient) await namePatient(core, tx, study._id, image.patient);
  const live = { study: study._id, ...liveShare(core.clock.now()) };
  const shares = await core.models.Share.find(live, { recipient: 1 }, { session: tx.session }).lean<ShareDoc[]>();
  const isNewFact = (fact: 'patient' | 'studyDate') => study[fact] === undefined && grown?.[fact] !== undefined;
  return {
    study: grown,
    begins: false,
    namesPatient,
    changesCards:
      // The captions of pictures are among the facts.
      study.kind === 'pictures' ||
      isLead ||
      isWhole ||
      isNewFact('patient') ||
      isNewFact('studyDate') ||
      grown?.modalities.length !== study.modalities.length,
    fields: { ...listFields(image.owner, shares, isLead), ...fields },
  };
}

/** The study that an image joins, without the image. */
interface Found {
  study: StudyDoc;
  /** True for a study that begins with the image, and is not written yet. */
  isNew: boolean;
}

/** Returns the key of the study that the header of a DICOM file names; null when it names none. */
async function keyOf({ pseudonyms }: Core, { image, identity, request }: Joining): Promise<string | null> {
  if (image.contentType !== 'application/dicom' || !identity?.studyUid) return null;
  return pseudonyms.text('study', String(request ?? image.owner), identity.studyUid);
}

async function studyOf(core: Core, tx: Transaction, joining: Joining, isFirst: boolean): Promise<Found | null> {
  const { image, studyId, copies, identity } = joining;
  if (copies) return studyOfCopies(core, tx, joining, copies);
  if (studyId) return { study: await chosenStudy(core, tx, joining, studyId), isNew: false };
  const key = await keyOf(core, joining);
  if (key === null) return null;
  const began = tx.inserts.of(core.models.Study);
  if (isFirst && !began.some((study) => study.key === key)) return beginStudy(core, joining, key);
  // An upload in the same transaction may have begun it.
  if (began.length > 0) await tx.inserts.write();
  const study = await core.models.Study.findOne({ key }, null, { session: tx.session }).lean<StudyDoc>();
  if (!study) return beginStudy(core, joining, key);
  if (!study.patient || !image.patient || sameId(study.patient, image.patient)) return { study, isNew: false };
  // The files of one examination were uploaded for two patients. They must not see each other's files.
  const uid = String(identity?.studyUid);
  const own = await core.pseudonyms.text('study', String(image.owner), uid, String(image.patient));
  const theirs = await core.models.Study.findOne({ key: own }, null, { session: tx.session }).lean<StudyDoc>();
  return theirs ? { study: theirs, isNew: false } : beginStudy(core, joining, own);
}

async function chosenStudy(core: Core, tx: Transaction, { image, request }: Joining, _id: ObjectId): Promise<StudyDoc> {
  if (image.contentType === 'application/dicom') throw fieldError('studyId', texts.dicomHasItsStudy);
  const held = request ?? { $exists: false };
  // A study of copies takes copies only: an upload may name somebody.
  const mine = { _id, owner: image.owner, kind: 'pictures' as const, held, copiesOf: { $exists: false } };
  const study = await core.models.Study.findOne(mine, null, { session: tx.session }).lean<StudyDoc>();
  if (!study) throw fieldError('studyId', texts.notYourStudy);
  if (study.patient && image.patient && !sameId(study.patient, image.patient)) {
    throw fieldError('patientId', texts.studyOfAnother);
  }
  return study;
}

/** Returns the study of copies, which a copy with a title begins. An image has one copy in it. */
async function studyOfCopies(core: Core, tx: Transaction, joining: Joining, copies: Copies): Promise<Found> {
  const { study: _id, original, from, kind, title, planned } = copies;
  const mine = { _id, owner: joining.image.owner, copiesOf: from };
  if (tx.inserts.of(core.models.Study).length > 0) await tx.inserts.write();
  const study = await core.models.Study.findOne(mine, null, { session: tx.session }).lean<StudyDoc>();
  if (study?.copied?.some((one) => sameId(one, original))) throw fieldError('studyId', texts.copiedAlready);
  if (study) return { study, isNew: false };
  if (title === undefined) throw fieldError('studyId', texts.notCopiesOfIt);
  return newStudy(joining, { _id, kind, title, copiesOf: from, ...(planned && { planned }) });
}

function beginStudy({ clock }: Core, joining: Joining, key: string): Found {
  const { identity, request } = joining;
  const title = titleOf(identity ?? {});
  const held = request ? { held: request } : {};
  return newStudy(joining, { _id: newId(clock.now()), kind: 'dicom', title, key, ...held });
}

type Begun = Pick<StudyDoc, '_id' | 'kind' | 'title'> &
  Partial<Pick<StudyDoc, 'key' | 'held' | 'copiesOf' | 'planned'>>;

function newStudy({ image: { owner, createAt } }: Joining, begun: Begun): Found {
  return { study: { ...begun, owner, createAt, modalities: [], images: 0, bytes: 0 }, isNew: true };
}

/** The first upload that names the patient names them for the whole study. */
async function namePatient(core: Core, tx: Transaction, study: ObjectId, patient: ObjectId): Promise<void> {
  await tx.inserts.write();
  await core.models.Image.updateMany({ study }, { $set: { patient }, ...touch }, { session: tx.session });
  // Their cards get the name of the account: a change of it at this moment comes before or after.
  await core.models.User.updateOne({ _id: patient }, touch, { session: tx.session });
}

async function seriesOf(core: Core, study: ObjectId, identity: FileIdentity): Promise<ImageDoc['series']> {
  const { seriesUid = '', seriesNumber, seriesDescription, modality, patientName } = identity;
  return {
    id: await core.pseudonyms.id('series', String(study), seriesUid),
    ...(seriesNumber === undefined ? {} : { number: seriesNumber }),
    ...(seriesDescription && !namesPatient(seriesDescription, patientName) ? { description: seriesDescription } : {}),
    ...(modality ? { modality } : {}),
  };
}

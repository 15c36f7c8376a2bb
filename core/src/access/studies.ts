import {
  decideImage,
  type ImageFacts,
  type ImageRule,
  type ImageViewer,
  imageRules,
} from '@lightbox/contract/images/policy.js';
import { type ObjectId, oid, sameId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { AppError } from '../errors.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';
import type { StudyDoc } from '../models/study.js';
import { careFor } from './carers.js';
import { emergencyFact } from './emergencies.js';
import { type Grounds, groundsOf, type OpenedBy } from './grounds.js';
import { guestFactOfStudy, linkOf } from './guests.js';
import { type InForm, inForm, openedBy, refusalOf } from './images.js';
import { liveShare, shareFacts } from './shares.js';

const isOf =
  (study: ObjectId) =>
  (share: ShareDoc): boolean =>
    sameId(study, share.study);

/** A study is under the rules of images, with its own shares. */
export const studyFacts = (study: StudyDoc, share: ShareDoc | null, { emergencies, cares }: Grounds): ImageFacts => ({
  ownerId: String(study.owner),
  patientId: study.patient ? String(study.patient) : null,
  ...shareFacts(share ? [share] : []),
  ...(study.held ? { held: true } : {}),
  ...emergencyFact(emergencies, study),
  ...(careFor(cares, isOf(study._id)) ? { carer: true } : {}),
});

export interface StudyAccess extends OpenedBy {
  study: StudyDoc;
  /** The viewer's own live share of the study. */
  share: ShareDoc | null;
  facts: ImageFacts;
}

/** Returns the study and the viewer's share; null when it does not exist or the viewer may not know of it. */
export async function findStudy(
  models: Models,
  viewer: ImageViewer,
  studyId: string,
  now: Date,
): Promise<StudyAccess | null> {
  const id = oid(studyId);
  const [study, share, link, grounds] = await Promise.all([
    models.Study.findById(id).readConcern(NEWEST).lean<StudyDoc>(),
    models.Share.findOne({ study: id, recipient: oid(viewer.id), ...liveShare(now) })
      .readConcern(NEWEST)
      .lean<ShareDoc>(),
    linkOf(models, viewer, now),
    groundsOf(models, viewer, { study: id }, now),
  ]);
  if (!study) return null;
  const facts = { ...studyFacts(study, share, grounds), ...guestFactOfStudy(link, id) };
  if (!imageRules.see(viewer, facts)) return null;
  return { study, share, facts, ...openedBy(viewer, facts, grounds, study, isOf(id)) };
}

/** As `requireStudy`, for calls that serve each viewer the form that they may have. */
export async function requireStudyForm(
  models: Models,
  viewer: ImageViewer,
  studyId: string,
  act: 'open' | 'download',
  now: Date,
): Promise<StudyAccess & InForm> {
  const access = await findStudy(models, viewer, studyId, now);
  if (!access) throw new AppError('NOT_FOUND');
  const copyShare = access.share?.deidentified ? access.share : null;
  return { ...access, ...inForm(viewer, { facts: access.facts, copyShare }, act) };
}

/** Returns the same, or throws: 404 when the viewer may not know of the study, 403 when the rule forbids it. */
export async function requireStudy(
  models: Models,
  viewer: ImageViewer,
  studyId: string,
  rule: ImageRule,
  now: Date,
): Promise<StudyAccess> {
  const access = await findStudy(models, viewer, studyId, now);
  if (!access) throw new AppError('NOT_FOUND');
  const decision = decideImage(rule, viewer, access.facts);
  if (decision.may) return access;
  throw refusalOf(decision);
}

import { isLiveEmergency } from '@lightbox/contract/emergencies/states.js';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import {
  decideImage,
  formOf,
  formRules,
  type ImageBar,
  type ImageDecision,
  type ImageFacts,
  type ImageForm,
  type ImageRule,
  type ImageViewer,
  imageRules,
} from '@lightbox/contract/images/policy.js';
import { isLiveShare } from '@lightbox/contract/sharing/states.js';
import { type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { AppError } from '../errors.js';
import type { GuestLinkDoc } from '../models/guestLink.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';
import { careFor, caresAmong, patientsOf } from './carers.js';
import { emergenciesOf, emergencyFact, emergencyFor } from './emergencies.js';
import type { Grounds, OpenedBy } from './grounds.js';
import { guestFact, linkOf } from './guests.js';
import { copyShareOf, covering, covers, liveShare, openedOriginal, shareFacts, strongest } from './shares.js';

/** The fields of an image on which the rules depend. */
export type Judged = Pick<ImageDoc, '_id' | 'owner' | 'patient' | 'study' | 'held'>;

/** `shares`: the viewer's own live shares that cover the image. */
export const imageFacts = (
  image: Judged,
  shares: readonly ShareDoc[],
  { emergencies, cares }: Grounds,
): ImageFacts => ({
  ownerId: String(image.owner),
  patientId: image.patient ? String(image.patient) : null,
  ...shareFacts(shares),
  ...(image.held ? { held: true } : {}),
  ...emergencyFact(emergencies, image),
  ...(careFor(cares, (share) => covers(share, image)) ? { carer: true } : {}),
});

/** Returns the record by which alone the viewer opens the image or study. `matches`: the share is one of it. */
export function openedBy(
  viewer: ImageViewer,
  facts: ImageFacts,
  { emergencies, cares }: Grounds,
  covered: Pick<ImageDoc, 'owner' | 'patient'>,
  matches: (share: ShareDoc) => boolean,
): OpenedBy {
  const { because } = decideImage('open', viewer, facts);
  return {
    emergency: because === 'emergency' ? emergencyFor(emergencies, covered) : null,
    carer: because === 'carer' ? careFor(cares, matches) : null,
  };
}

export interface ImageAccess extends OpenedBy {
  image: ImageDoc;
  /** The viewer's own live share that covers the image. */
  share: ShareDoc | null;
  /** Their share of a copy without identity. */
  copyShare: ShareDoc | null;
  facts: ImageFacts;
  /** The image's study, if the viewer may know of it. */
  studyId: string | null;
}

/** The records on which a decision about one image rests, as they were read. `image` is null when there is none. */
export interface ReadFacts extends Grounds {
  image: ImageDoc | null;
  /** The viewer's own shares that cover the image. */
  shares: readonly ShareDoc[];
  link: GuestLinkDoc | null;
}

/**
 * Reads the records in two steps of parallel reads. For an id without an image it makes the same reads, so that the time
 * of the answer does not tell it from the image of another person.
 */
export async function readFacts(models: Models, viewer: ImageViewer, imageId: string, now: Date): Promise<ReadFacts> {
  const id = oid(imageId);
  const [image, link, emergencies, carers] = await Promise.all([
    models.Image.findById(id).readConcern(NEWEST).lean<ImageDoc>(),
    linkOf(models, viewer, now),
    emergenciesOf(models, viewer, now),
    patientsOf(models, viewer),
  ]);
  // An image without a study is asked for like one with a study: no study has the id of an image.
  const among = covering([{ _id: id, study: image?.study ?? id }]);
  const [shares, cares] = await Promise.all([
    models.Share.find({ ...among, recipient: oid(viewer.id), ...liveShare(now) })
      .readConcern(NEWEST)
      .lean<ShareDoc[]>(),
    caresAmong(models, carers, among, now),
  ]);
  return { image, shares, link, emergencies, cares };
}

/**
 * Returns the image and the viewer's share; null when it does not exist or the viewer may not know of it, which look
 * alike.
 */
export const findImage = async (
  models: Models,
  viewer: ImageViewer,
  imageId: string,
  now: Date,
): Promise<ImageAccess | null> => accessBy(viewer, await readFacts(models, viewer, imageId, now), now);

/** Decides by records that were read before. Those that have ended since then, by the clock, do not count. */
export function accessBy(viewer: ImageViewer, read: ReadFacts, now: Date): ImageAccess | null {
  const { image } = read;
  if (!image) return null;
  const shares = read.shares.filter((share) => isLiveShare(share, now));
  const link = read.link && read.link.expiresAt > now ? read.link : null;
  const grounds: Grounds = {
    emergencies: read.emergencies.filter((one) => isLiveEmergency(one, now)),
    cares: read.cares.map((care) => ({ ...care, shares: care.shares.filter((share) => isLiveShare(share, now)) })),
  };
  const facts = { ...imageFacts(image, shares, grounds), ...guestFact(link, image) };
  if (!imageRules.see(viewer, facts)) return null;
  const by = openedBy(viewer, facts, grounds, image, (one) => covers(one, image));
  return {
    image,
    share: strongest(shares),
    copyShare: copyShareOf(shares),
    facts,
    ...by,
    studyId: studyFor(viewer, image, shares, grounds)?.id ?? null,
  };
}

/** An image's study, in the form in which the viewer meets it. The image itself may be open to them in another form. */
export interface KnownStudy {
  id: string;
  form: ImageForm;
}

/** Returns an image's study; null when it has none, or the viewer's shares do not tell them of the study. */
export function studyFor(
  viewer: ImageViewer,
  image: ImageDoc,
  shares: readonly ShareDoc[],
  { emergencies, cares }: Grounds,
): KnownStudy | null {
  if (!image.study) return null;
  const ofStudy = (all: readonly ShareDoc[]) => all.filter(({ study }) => study);
  const facts = imageFacts(image, ofStudy(shares), {
    emergencies,
    cares: cares.map((care) => ({ ...care, shares: ofStudy(care.shares) })),
  });
  return imageRules.see(viewer, facts) ? { id: String(image.study), form: formOf(viewer, facts) } : null;
}

/** Returns the same, or throws the refusal of the contract: 404 when the viewer may not know of the image, else 403. */
export async function requireImage(
  models: Models,
  viewer: ImageViewer,
  imageId: string,
  rule: ImageRule,
  now: Date,
): Promise<ImageAccess> {
  const access = await findImage(models, viewer, imageId, now);
  if (!access) throw new AppError('NOT_FOUND');
  const decision = decideImage(rule, viewer, access.facts);
  if (decision.may) return access;
  throw refusalOf(decision);
}

/** The scope of the copy that a viewer gets (`deidentify/copy.ts`); null for a viewer who gets the original. */
export interface InForm {
  copy: string | null;
}

/** As `requireImage`, for calls that serve each viewer the form that they may have. */
export async function requireForm(
  models: Models,
  viewer: ImageViewer,
  imageId: string,
  act: keyof typeof formRules,
  now: Date,
): Promise<ImageAccess & InForm> {
  return formBy(viewer, await readFacts(models, viewer, imageId, now), act, now);
}

/** The same by records that were read before. */
export function formBy(
  viewer: ImageViewer,
  read: ReadFacts,
  act: keyof typeof formRules,
  now: Date,
): ImageAccess & InForm {
  const access = accessBy(viewer, read, now);
  if (!access) throw new AppError('NOT_FOUND');
  return { ...access, ...inForm(viewer, access, act) };
}

/** Returns the form that the viewer may have, or throws the refusal. */
export function inForm(
  viewer: ImageViewer,
  { facts, copyShare }: Pick<ImageAccess, 'facts' | 'copyShare'>,
  act: keyof typeof formRules,
): InForm {
  const decision = decideForm(viewer, facts, act);
  if (!decision.may) throw refusalOf(decision);
  return { copy: formOf(viewer, facts) === 'copy' && copyShare ? String(copyShare._id) : null };
}

/** Decides about the form that the viewer may have. */
export const decideForm = (viewer: ImageViewer, facts: ImageFacts, act: keyof typeof formRules): ImageDecision =>
  decideImage(formRules[act][formOf(viewer, facts)], viewer, facts);

const refusals: Partial<Record<ImageBar, ErrorCode>> = { notVerified: 'NOT_VERIFIED', noDownload: 'NO_DOWNLOAD' };

export const refusalOf = ({ because }: { because: ImageBar }): AppError =>
  new AppError(refusals[because] ?? 'FORBIDDEN');

/** Returns the readers of a signed text, apart from admins: the readers of the analysis, and the image's patient. */
export async function signedReaders(models: Models, image: ImageDoc, now: Date): Promise<ObjectId[]> {
  const readers = await analysisReaders(models, image, now);
  if (!image.patient) return readers;
  const theirs = { ...covering([image]), ...openedOriginal(now), recipient: image.patient };
  return (await models.Share.exists(theirs)) ? [...readers, image.patient] : readers;
}

/** Returns the readers of an image's analysis, apart from admins: the owner, and providers with a verified share. */
export async function analysisReaders(models: Models, image: ImageDoc, now: Date): Promise<ObjectId[]> {
  const shares = await models.Share.find({ ...covering([image]), ...openedOriginal(now) }, { recipient: 1 }).lean();
  const providers = await models.User.find(
    { _id: { $in: shares.map((share) => share.recipient) }, role: 'healthProvider' },
    { _id: 1 },
  ).lean();
  return [image.owner, ...providers.map((user) => user._id)];
}

import { imageRules } from '@lightbox/contract/images/policy.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { Study } from '@lightbox/contract/studies/schemas.js';
import type { QueryClient } from '@tanstack/react-query';
import { viewerNow } from '../auth/session';
import { coalesce, coalesceStream } from '../lib/coalesce';
import type { Envelope } from '../lib/http';
import { change, isRead, reread, rereadWhere } from '../lib/live';
import { imagesOf, stackOf } from './subject';

/** Changes to the images and studies in the query cache. The queries themselves are in `images.ts` and `studies.ts`. */

export const listNames = ['uploaded', 'shared'] as const;
export type ListName = (typeof listNames)[number];
export type ImagePage = Envelope<Image[]>;

export const lists = ['images', 'list'] as const;
export const oneKey = (id: string) => ['images', 'one', id] as const;
export const contentKey = (id: string) => ['images', 'content', id] as const;
export const studies = ['studies', 'one'] as const;
export const studyKey = (id: string) => [...studies, id] as const;
export const timelineKey = (id: string) => ['timeline', id] as const;
export const copyChangesKey = (id: string) => ['copyChanges', id] as const;

export function findListed(cache: QueryClient, matches: (image: Image) => boolean) {
  for (const [key, page] of cache.getQueriesData<ImagePage>({ queryKey: lists })) {
    const image = page?.data.find(matches);
    if (image) return { image, at: cache.getQueryState(key)?.dataUpdatedAt };
  }
}

/** Returns the images of the cached page of a list that contains the image. */
export function findPageOf(cache: QueryClient, id: string): Image[] | undefined {
  for (const [, page] of cache.getQueriesData<ImagePage>({ queryKey: lists })) {
    if (page?.data.some((image) => image.id === id)) return page.data;
  }
  return undefined;
}

export const findShared = (cache: QueryClient, shareId: string) =>
  findListed(cache, (image) => image.shareId === shareId)?.image;

function patchImages(cache: QueryClient, matches: (image: Image) => boolean, to: (image: Image) => Image) {
  change<ImagePage>(cache, lists, (page) =>
    page.data.some(matches) ? { ...page, data: page.data.map((image) => (matches(image) ? to(image) : image)) } : page,
  );
  change<Image>(cache, ['images', 'one'], (image) => (matches(image) ? to(image) : image));
}

export const patchImage = (cache: QueryClient, id: string, to: (image: Image) => Image) =>
  patchImages(cache, (image) => image.id === id, to);

/** Changes the card of a study in every list. */
export const patchStudy = (cache: QueryClient, id: string, to: (image: Image) => Image) =>
  patchImages(cache, (image) => image.study?.id === id, to);

/** The number of reads for cards that have begun, and for each image the newest one that its card shows. */
let begun = 0;
const newest = new Map<string, number>();

/**
 * Begins a read of an image or of a study for a card. The two are read apart, so an answer may arrive after that of a read
 * that began later. The returned function is called once with the answer’s image, and returns true in that case.
 */
export function beginRead(): (image: string) => boolean {
  const turn = ++begun;
  return (image) => {
    const isOvertaken = (newest.get(image) ?? 0) > turn;
    if (!isOvertaken) newest.set(image, turn);
    return isOvertaken;
  };
}

/** Shows on the recipient's card whether too many wrong codes have locked the share. */
export const lockShare = (cache: QueryClient, shareId: string, locked: boolean) =>
  patchImages(
    cache,
    (image) => image.shareId === shareId,
    ({ isLocked: _, ...image }) => (locked && !image.isVerified ? { ...image, isLocked: true } : image),
  );

/** With a name, the other list of the gallery is left out. Every other list may hold the image too, such as a patient's. */
function rereadLists(cache: QueryClient, name?: ListName) {
  const left = name && listNames.find((one) => one !== name);
  for (const { queryKey } of cache.getQueryCache().findAll({ queryKey: lists })) {
    if (!left || queryKey[lists.length] !== left) void reread(cache, queryKey);
  }
}

/** Reads the visible lists again, once for a burst of events. The other lists are read when they are shown. */
export const refreshLists = (cache: QueryClient, name?: ListName) =>
  coalesce(`images ${name ?? ''}`, () => rereadLists(cache, name));

/** Reads the visible lists and the open dialog of a study again, a few times while hundreds of its images change. */
export function refreshStudy(cache: QueryClient, studyId: string) {
  coalesceStream('studies', () => rereadLists(cache));
  if (cache.getQueryState(studyKey(studyId))) {
    coalesceStream(`study ${studyId}`, () => void reread(cache, studyKey(studyId)));
  }
}

/** True when the image is in the cache. */
export const isShown = (cache: QueryClient, id: string) =>
  cache.getQueryState(oneKey(id)) !== undefined || findListed(cache, (image) => image.id === id) !== undefined;

/** True when the image is in the cache, or a list that may contain it is being read. */
export const mayBeShown = (cache: QueryClient, id: string) => isShown(cache, id) || isRead(cache, lists);

/** Returns the redacted image, which stays when access has ended: no picture, and nothing about a patient. */
const redacted = ({
  id,
  caption,
  contentType,
  createAt,
  isShared,
  sharedBy,
  owner,
  shareId,
  expiresAt,
  study,
  studyId,
}: Image): Image => ({
  id,
  caption,
  contentType,
  createAt,
  isShared,
  isVerified: false,
  image_url: null,
  ...(sharedBy ? { sharedBy } : {}),
  ...(owner ? { owner } : {}),
  ...(shareId ? { shareId } : {}),
  ...(expiresAt ? { expiresAt } : {}),
  ...(study ? { study: { ...study, modalities: [], size: 0 } } : {}),
  ...(studyId ? { studyId } : {}),
});

/** Returns the redacted study: its title, kind and number of images. */
const redactedStudy = ({
  series: _series,
  patient: _patient,
  studyDate: _date,
  leadId: _lead,
  note: _note,
  download: _download,
  emergency: _emergency,
  carer: _carer,
  ...study
}: Study): Study => ({
  ...study,
  modalities: [],
  size: 0,
  isVerified: false,
  image_url: null,
});

/**
 * Removes a deleted image from every list and from its study, and its contents from the cache. The card of a study stays:
 * another image will stand for it.
 */
export function dropImage(cache: QueryClient, id: string, studyId?: string) {
  const listed = findListed(
    cache,
    (image) => image.id === id || (studyId !== undefined && image.study?.id === studyId),
  );
  change<ImagePage>(cache, lists, (page) => {
    if (!page.data.some((image) => image.id === id)) return page;
    const left = page.data.filter((image) => image.id !== id || (studyId && stackOf(image)));
    return { ...page, data: left.map((image) => (image.id === id ? { ...image, image_url: null } : image)) };
  });
  change<Study>(cache, studyId ? studyKey(studyId) : studies, (study) => withoutImage(study, id));
  forgetContents(cache, [id]);
  cache.removeQueries({ queryKey: oneKey(id), type: 'inactive' });
  // An open dialog must remove the picture.
  change<Image>(cache, oneKey(id), redacted);
  if (studyId) refreshStudy(cache, studyId);
  // An image of the next page moves up.
  else if (listed || isRead(cache, lists)) refreshLists(cache);
}

function withoutImage(study: Study, id: string): Study {
  const { leadId, series } = study;
  if (!series?.some(({ images }) => images.includes(id))) return study;
  const left = series
    .map((one) => ({ ...one, images: one.images.filter((image) => image !== id) }))
    .filter(({ images }) => images.length > 0);
  const changed = { ...study, series: left, imageCount: left.flatMap(({ images }) => images).length };
  return leadId === id ? { ...changed, image_url: null } : changed;
}

/** Removes a deleted study from every list, and its images and their contents from the cache. */
export function dropStudy(cache: QueryClient, studyId: string) {
  const ofStudy = (image: Image) => (image.study?.id ?? image.studyId) === studyId;
  const ids = knownImages(cache, studyId);
  change<ImagePage>(cache, lists, (page) =>
    page.data.some(ofStudy) ? { ...page, data: page.data.filter((image) => !ofStudy(image)) } : page,
  );
  change<Image>(cache, ['images', 'one'], (image) => (ofStudy(image) ? redacted(image) : image));
  forgetContents(cache, [studyId, ...ids]);
  cache.removeQueries({ queryKey: studyKey(studyId), type: 'inactive' });
  change<Study>(cache, studyKey(studyId), redactedStudy);
  refreshLists(cache);
}

/** Returns the images of a study of which the cache knows. */
const knownImages = (cache: QueryClient, studyId: string): string[] => [
  ...imagesOf(cache.getQueryData<Study>(studyKey(studyId))),
  ...shownImages(cache).flatMap(({ id, study, studyId: of }) => ((study?.id ?? of) === studyId ? id : [])),
];

/** Removes only inactive queries: a visible screen would request a removed one again at once. */
function forgetContents(cache: QueryClient, ids: readonly string[]) {
  for (const id of new Set(ids)) {
    for (const queryKey of [
      contentKey(id),
      ['analysis', id],
      ['analysisVersions', id],
      ['analysisBefore', id],
      ['sharing', id],
      ['invitations', id],
      timelineKey(id),
    ]) {
      cache.removeQueries({ queryKey, type: 'inactive' });
    }
    // The open page of the analysis asks the server again and gets the reason for the end.
    void cache.resetQueries({ queryKey: ['analysis', id] });
    void cache.resetQueries({ queryKey: ['analysisVersions', id] });
  }
}

/**
 * Ends a share in the cache: its card stays in place without the picture, until the list is read again. The share of a
 * study ends for each of its images.
 */
export function endShare(cache: QueryClient, shareId: string, imageId: string, studyId?: string) {
  const at = new Date().toISOString();
  const ids = [imageId, ...(studyId ? [studyId, ...knownImages(cache, studyId)] : [])];
  patchImages(
    cache,
    (image) => image.shareId === shareId,
    (image) => withoutShare(image, at, redacted),
  );
  change<Study>(cache, studies, (study) =>
    study.shareId === shareId ? withoutShare(study, at, redactedStudy) : study,
  );
  if (viewerNow().role !== 'admin') forgetContents(cache, ids);
}

/** Ends an emergency access in the cache. */
export const endEmergencyAccess = (cache: QueryClient, id: string) =>
  endLooks(cache, ({ emergency }) => emergency?.id === id);

/** Ends an access without a share in the cache: its images stay as outlines until the list is read again. */
function endLooks(cache: QueryClient, byIt: (thing: Pick<Image | Study, 'emergency' | 'carer'>) => boolean) {
  const ids = [
    ...shownImages(cache).filter(byIt),
    ...shownStudies(cache)
      .filter(byIt)
      .flatMap((study) => [study, ...imagesOf(study).map((image) => ({ id: image }))]),
  ].map((thing) => thing.id);
  patchImages(cache, byIt, redacted);
  change<Study>(cache, studies, (study) => (byIt(study) ? redactedStudy(study) : study));
  forgetContents(cache, ids);
}

type Cared = Pick<Image | Study, 'carer'>;
const ofPatient =
  (patientId: string) =>
  ({ carer }: Cared): boolean =>
    carer?.patient.id === patientId;

/** Ends a carer's access to the images of a patient in the cache. */
export function endCare(cache: QueryClient, patientId: string) {
  endLooks(cache, ofPatient(patientId));
  refreshLists(cache);
}

/** Reads again what the viewer sees as the carer of a patient: access to some of it may have ended. */
export function rereadCared(cache: QueryClient, patientId: string) {
  const seen = ofPatient(patientId);
  rereadWhere<Image>(cache, ['images', 'one'], seen);
  rereadWhere<Study>(cache, studies, seen);
  refreshLists(cache);
}

/** Gives the images and the studies of a share another end. */
export function moveEnd(cache: QueryClient, shareId: string, expiresAt: string | null) {
  const moved = <T extends Image | Study>({ expiresAt: _end, ...thing }: T) =>
    ({ ...thing, ...(expiresAt ? { expiresAt } : {}) }) as T;
  patchImages(cache, (image) => image.shareId === shareId, moved);
  change<Study>(cache, studies, (study) => (study.shareId === shareId ? moved(study) : study));
}

/** Redacts an image or a study whose share has ended. An owner or an administrator needs no share. */
function withoutShare<T extends Image | Study>(thing: T, at: string, redact: (thing: T) => T): T {
  const facts = { ownerId: thing.owner?.id ?? 'unknown', patientId: null, share: null };
  if (imageRules.open(viewerNow(), facts)) {
    const { shareId: _id, expiresAt: _end, sharedBy: _by, note: _note, ...rest } = thing;
    return rest as T;
  }
  return { ...redact(thing), expiresAt: thing.expiresAt && thing.expiresAt < at ? thing.expiresAt : at };
}

/** Returns all images in the cache. */
export const shownImages = (cache: QueryClient): Image[] => [
  ...cache.getQueriesData<ImagePage>({ queryKey: lists }).flatMap(([, page]) => page?.data ?? []),
  ...cache.getQueriesData<Image>({ queryKey: ['images', 'one'] }).flatMap(([, image]) => (image ? [image] : [])),
];

/** Returns all studies in the cache. */
export const shownStudies = (cache: QueryClient): Study[] =>
  cache.getQueriesData<Study>({ queryKey: studies }).flatMap(([, study]) => study ?? []);

import { imageRules } from '@lightbox/contract/images/policy.js';
import { type LimitedViewer, type Openable, openable } from '@lightbox/core/access/openable.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ImageDoc, Instance } from '@lightbox/core/models/image.js';
import { uidKeys } from '@lightbox/core/studies/instance.js';
import type { Context, Gateway, Viewer } from '../context.js';

/** The UIDs in a path. */
export interface Uids {
  study: string;
  series?: string;
  instance?: string;
}

/** A call about instances. */
export interface Call<Params extends Partial<Uids>>
  extends Pick<Context, 'gateway' | 'actor' | 'call' | 'req' | 'res'> {
  viewer: Viewer;
  params: Params;
}

/** An image with the UIDs of DICOM. */
export type InstanceDoc = ImageDoc & { instance: Instance };
export type Found = Openable<InstanceDoc>;

/** A file that DICOMweb finds: it has all its UIDs, and is nobody's held file. */
export const isInstance = { instance: { $exists: true }, ...notHeld };

/** Returns the filter for the instances under these UIDs, whoever owns them. */
export async function underUids(gateway: Gateway, { study, series, instance }: Uids): Promise<object> {
  return {
    ...isInstance,
    'instance.study': await uidKeys.study(gateway, study),
    ...(series === undefined ? {} : { 'instance.series': await uidKeys.series(gateway, series) }),
    ...(instance === undefined ? {} : { 'instance.sop': await uidKeys.sop(gateway, instance) }),
  };
}

/**
 * Returns the instances that match a filter and that the viewer may open, in the order of their series. Of two files with
 * one UID it is the viewer's own, else the newer one; for a download one that may be downloaded, when there is one.
 */
export async function openInstances(
  gateway: Gateway,
  viewer: Viewer,
  filter: object,
  act: 'open' | 'download' = 'open',
): Promise<Found[]> {
  const images = await gateway.models.Image.find(filter).readConcern(NEWEST).sort({ _id: -1 }).lean<InstanceDoc[]>();
  const may = await openable(gateway.models, viewer, images, gateway.clock.now());
  const ownFirst = may.toSorted((a, b) => Number(isOf(viewer, b)) - Number(isOf(viewer, a)));
  const free = ({ facts }: Found) => act === 'open' || imageRules.download(viewer, facts);
  const bySop = new Map<string, Found>();
  for (const found of ownFirst.toSorted((a, b) => Number(free(b)) - Number(free(a)))) {
    const sop = String(found.image.instance.sop);
    if (!bySop.has(sop)) bySop.set(sop, found);
  }
  return [...bySop.values()].sort(inOrder);
}

const isOf = ({ _id }: Viewer, { image }: Found): boolean => image.owner.equals(_id);

const LAST = Number.MAX_SAFE_INTEGER;
const text = (id: ObjectId): string => String(id);

function inOrder({ image: a }: Found, { image: b }: Found): number {
  return (
    (a.series?.number ?? LAST) - (b.series?.number ?? LAST) ||
    text(a.instance.series).localeCompare(text(b.instance.series)) ||
    (a.place?.instance ?? LAST) - (b.place?.instance ?? LAST) ||
    text(a._id).localeCompare(text(b._id))
  );
}

/**
 * Returns the instances under these UIDs that the viewer may open. Throws `NOT_FOUND` when there is none, and for a
 * download `NO_DOWNLOAD` when one of them may be looked at only: an answer without it would look complete.
 */
export async function requireInstances(
  gateway: Gateway,
  viewer: Viewer,
  uids: Uids,
  act: 'open' | 'download',
): Promise<Found[]> {
  const found = await openInstances(gateway, viewer, await underUids(gateway, uids), act);
  if (found.length === 0) throw new AppError('NOT_FOUND');
  if (act === 'download' && found.some(({ facts }) => !imageRules.download(viewer, facts))) {
    throw new AppError('NO_DOWNLOAD');
  }
  return found;
}

/** Returns the check while bytes of these instances go out: it fails when the viewer may no longer read one of them. */
export const mayStill =
  (gateway: Gateway, found: readonly Found[], act: 'open' | 'download') =>
  async (viewer: LimitedViewer): Promise<void> => {
    const images = found.map(({ image }) => image);
    const now = await openable(gateway.models, viewer, images, gateway.clock.now());
    const allowed = now.filter(({ facts }) => act === 'open' || imageRules.download(viewer, facts));
    if (allowed.length < images.length) throw new AppError('FORBIDDEN');
  };

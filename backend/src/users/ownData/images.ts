import { formOf, formRules, type ImageFacts, imageRules } from '@lightbox/contract/images/policy.js';
import { noGrounds } from '@lightbox/core/access/grounds.js';
import { type InForm, imageFacts, requireForm } from '@lightbox/core/access/images.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import { liveShare, sharesByTarget } from '@lightbox/core/access/shares.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { copyOf, readCopy } from '@lightbox/core/deidentify/copy.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { Gateway, Viewer } from '../../context.js';
import type { StreamedEntry } from '../../http/zip.js';
import { nameOfCopy } from '../../images/copies.js';
import { extensionOf } from '../../images/imageBytes.js';
import { withoutIdentity } from '../../images/present.js';
import { namesOf } from '../names.js';

/** One image of the index. */
export interface ListedImage {
  id: string;
  /** Its place in the zip. */
  file: string;
  caption: string;
  contentType: string;
  size: number;
  addedAt: string;
  owner: string;
  patient: string | null;
  studyId: string | null;
}

/** The state of one download: the images so far, and the one that is being sent. */
export interface Progress {
  open?: string | undefined;
  /** The form in which it is sent. */
  form?: InForm;
  sent: ListedImage[];
  /** Images that may not be downloaded, or whose right ended meanwhile. */
  leftOut: { id: string; reason: string }[];
}

type Known = Pick<ImageDoc, '_id' | 'owner'>;

/** Returns the images that the viewer owns or has a share of, and may download now, the oldest first. */
export async function downloadable({ models, clock }: Gateway, viewer: Viewer): Promise<Known[]> {
  const fields = { owner: 1, patient: 1, study: 1 } as const;
  const order = { createAt: 1, _id: 1 } as const;
  const [own, shared, shares] = await Promise.all([
    models.Image.find({ owner: viewer._id, ...notHeld }, fields)
      .sort(order)
      .lean<ImageDoc[]>(),
    models.Image.find({ audience: viewer._id, owner: { $ne: viewer._id } }, fields)
      .sort(order)
      .lean<ImageDoc[]>(),
    models.Share.find({ recipient: viewer._id, ...liveShare(clock.now()) }).lean<ShareDoc[]>(),
  ]);
  const sharesOfImage = sharesByTarget(shares);
  return [...own, ...shared].filter((image) =>
    mayDownload(
      viewer,
      imageFacts(
        image,
        sharesOfImage(image),
        // An image that was opened in an emergency, or as a carer, is not own data.
        noGrounds,
      ),
    ),
  );
}

const mayDownload = (viewer: Viewer, facts: ImageFacts): boolean =>
  imageRules[formRules.download[formOf(viewer, facts)]](viewer, facts);

/** Yields the originals, and the copies without identity that were shared. The right to each is asked again when its turn comes, which may be long after the first. */
export async function* imageFiles(
  gateway: Gateway,
  viewer: Viewer,
  images: readonly Known[],
  progress: Progress,
): AsyncGenerator<StreamedEntry> {
  const { models, clock, blobs, keys } = gateway;
  for (const [i, { _id }] of images.entries()) {
    const id = String(_id);
    const leftOut = (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      progress.leftOut.push({ id, reason: error.code });
      return null;
    };
    const access = await requireForm(models, viewer, id, 'download', clock.now()).catch(leftOut);
    if (!access) continue;
    const { copy: scope } = access;
    const copy = scope ? await copyOf(gateway, access.image, scope).catch(leftOut) : null;
    if (scope && !copy) continue;
    const image = copy ? withoutIdentity(access.image) : access.image;
    const { blob, dataKey, createAt, contentType, caption, owner, patient } = image;
    const { size } = copy ?? image;
    const named = scope ? await nameOfCopy(gateway, scope, image) : id;
    const file = `images/${String(i + 1).padStart(4, '0')}-${named}.${extensionOf(contentType)}`;
    const name = await namesOf(models, [owner, patient]);
    const person = (one: ImageDoc['owner']) => `${name(one).firstname} ${name(one).lastname}`.trim();
    progress.open = id;
    progress.form = access;
    yield {
      name: file,
      size,
      at: createAt,
      read: () =>
        copy ? readCopy(gateway, image, copy) : blobs.read(blob, unwrapDataKey(keys.images, id, dataKey), size),
    };
    progress.open = undefined;
    progress.sent.push({
      id,
      file,
      caption,
      contentType,
      size,
      addedAt: createAt.toISOString(),
      owner: person(owner),
      patient: patient ? person(patient) : null,
      studyId: access.studyId,
    });
  }
}

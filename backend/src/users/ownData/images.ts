import { imageRules } from '@lightbox/contract/images/policy.js';
import { noGrounds } from '@lightbox/core/access/grounds.js';
import { imageFacts, requireImage } from '@lightbox/core/access/images.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import { covers, liveShare } from '@lightbox/core/access/shares.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { Gateway, Viewer } from '../../context.js';
import type { StreamedEntry } from '../../http/zip.js';
import { extensionOf } from '../../images/imageBytes.js';
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
  return [...own, ...shared].filter((image) =>
    imageRules.download(
      viewer,
      imageFacts(
        image,
        shares.filter((share) => covers(share, image)),
        // An image that was opened in an emergency, or as a carer, is not own data.
        noGrounds,
      ),
    ),
  );
}

/** Yields the originals. The right to each is asked again when its turn comes, which may be long after the first. */
export async function* imageFiles(
  gateway: Gateway,
  viewer: Viewer,
  images: readonly Known[],
  progress: Progress,
): AsyncGenerator<StreamedEntry> {
  const { models, clock, blobs, keys } = gateway;
  for (const [i, { _id }] of images.entries()) {
    const id = String(_id);
    const access = await requireImage(models, viewer, id, 'download', clock.now()).catch((error) => {
      if (!(error instanceof AppError)) throw error;
      progress.leftOut.push({ id, reason: error.code });
      return null;
    });
    if (!access) continue;
    const { blob, size, dataKey, createAt, contentType, caption, owner, patient } = access.image;
    const file = `images/${String(i + 1).padStart(4, '0')}-${id}.${extensionOf(contentType)}`;
    const name = await namesOf(models, [owner, patient]);
    const person = (one: ImageDoc['owner']) => `${name(one).firstname} ${name(one).lastname}`.trim();
    progress.open = id;
    yield {
      name: file,
      size,
      at: createAt,
      read: () => blobs.read(blob, unwrapDataKey(keys.images, id, dataKey), size),
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

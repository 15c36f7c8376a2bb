import {
  decideImage,
  type ImageFacts,
  type ImageRule,
  type ImageViewer,
  imageRules,
} from '@lightbox/contract/images/policy.js';
import type { ClientSession } from 'mongoose';
import { type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { AppError } from '../errors.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';
import { touch } from './hold.js';
import { liveShare, verifiedShare } from './shares.js';

export const imageFacts = (image: ImageDoc, share: ShareDoc | null): ImageFacts => ({
  ownerId: String(image.owner),
  patientId: image.patient ? String(image.patient) : null,
  share: share && { verified: Boolean(share.verifiedAt) },
});

export interface ImageAccess {
  image: ImageDoc;
  /** The viewer's own live share. */
  share: ShareDoc | null;
  facts: ImageFacts;
}

/**
 * Returns the image and the viewer's share; null when it does not exist or the viewer may not know of it, which look
 * alike.
 */
export async function findImage(
  models: Models,
  viewer: ImageViewer,
  imageId: string,
  now: Date,
): Promise<ImageAccess | null> {
  const id = oid(imageId);
  const [image, share] = await Promise.all([
    models.Image.findById(id).readConcern(NEWEST).lean<ImageDoc>(),
    models.Share.findOne({ image: id, recipient: oid(viewer.id), ...liveShare(now) })
      .readConcern(NEWEST)
      .lean<ShareDoc>(),
  ]);
  if (!image) return null;
  const facts = imageFacts(image, share);
  return imageRules.see(viewer, facts) ? { image, share, facts } : null;
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
  throw new AppError(decision.because === 'notVerified' ? 'NOT_VERIFIED' : 'FORBIDDEN');
}

/** Returns the readers of an image's analysis, apart from admins: the owner, and providers with a verified share. */
export async function analysisReaders(models: Models, image: ImageDoc, now: Date): Promise<ObjectId[]> {
  const shares = await models.Share.find({ image: image._id, ...verifiedShare(now) }, { recipient: 1 }).lean();
  const providers = await models.User.find(
    { _id: { $in: shares.map((share) => share.recipient) }, role: 'healthProvider' },
    { _id: 1 },
  ).lean();
  return [image.owner, ...providers.map((user) => user._id)];
}

/** Updates an image's list fields from its shares. Part of every transaction that changes a share. */
export async function refreshAudience(
  models: Models,
  imageId: ObjectId,
  now: Date,
  session: ClientSession,
): Promise<void> {
  const shares = await models.Share.find({ image: imageId, ...liveShare(now) }, { recipient: 1 }, { session }).lean();
  const image = await models.Image.findById(imageId, { owner: 1 }, { session }).lean();
  if (!image) return;
  const audience = shares.length > 0 ? [...shares.map((share) => share.recipient), image.owner] : [];
  await models.Image.updateOne(
    { _id: imageId },
    { $set: { audience, isShared: shares.length > 0 }, ...touch },
    { session },
  );
}

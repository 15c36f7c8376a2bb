import type { DataOf } from '@lightbox/contract/call.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import type { ShareAccess, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { shareState } from '@lightbox/contract/sharing/states.js';
import { usableAccount } from '@lightbox/core/access/accounts.js';
import { holdImage, holdUser } from '@lightbox/core/access/hold.js';
import { refreshAudience, requireImage } from '@lightbox/core/access/images.js';
import { isLive, liveShare, overdueShare } from '@lightbox/core/access/shares.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { endShares } from '@lightbox/core/sharing/endShares.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';

interface NewShare {
  image: ObjectId;
  sharedBy: ObjectId;
  recipient: ObjectId;
  /** Null for the permanent share of the image's patient. */
  hours: number | null;
}

/** Returns the expiry of a share's code: the end of the share, or a month for a permanent share. */
const codeEnd = (now: Date, shareEnd: Date | null): Date =>
  shareEnd ?? new Date(now.getTime() + limits.standingCodeDays * 24 * 3_600_000);

/**
 * Writes a share and its event as part of a transaction, and updates the audience of the image. Returns null when the
 * recipient's account is not usable. Throws `NOT_FOUND` when the image was deleted since the caller read it.
 */
export async function addShare(gateway: Gateway, tx: Transaction, wanted: NewShare): Promise<ObjectId | null> {
  const { models } = gateway;
  const now = gateway.clock.now();
  const { owner } = await holdImage(models, wanted.image, tx.session);
  if (owner.equals(wanted.recipient)) throw theirsAlready();
  if (!(await holdUser(models, { _id: wanted.recipient }, tx.session))) return null;
  const expiresAt = wanted.hours === null ? null : new Date(now.getTime() + wanted.hours * 3_600_000);
  const share: ShareDoc = {
    _id: newId(),
    image: wanted.image,
    sharedBy: wanted.sharedBy,
    recipient: wanted.recipient,
    createAt: now,
    ...(expiresAt ? { expiresAt } : {}),
    codeExpiresAt: codeEnd(now, expiresAt),
    ...newCodeSeed(gateway.keys.codes),
    tries: 0,
    live: true,
  };
  await models.Share.create([share], { session: tx.session });
  await refreshAudience(models, wanted.image, now, tx.session);
  // Beyond the hourly number of mails to one person no mail is sent: the share waits in the app, and its code can be
  // sent later (`resendShare`).
  const mailed = await gateway.throttle.tryTake('shareMail', { recipient: String(wanted.recipient) });
  tx.record({
    type: 'share.create',
    record: wanted.image,
    owners: [owner],
    recipients: [wanted.recipient, owner],
    refs: { share: share._id, ...(mailed ? { mailed: wanted.recipient } : {}) },
  });
  return share._id;
}

export async function createShare({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof shareCalls.createShare>): Promise<Answer<DataOf<typeof shareCalls.createShare>>> {
  const { image } = await requireImage(gateway.models, viewer, body.imagemetadataId, 'share', gateway.clock.now());
  const earlier = await gateway.events.earlier(actor);
  if (earlier) return { data: await presentCreated(gateway, earlier) };
  const recipient = await findRecipient(gateway, viewer, image, body.createdfor);
  const hours = body.expiresInHours ?? (await gateway.settings.get('sharing.expiryHours'));
  try {
    const id = await gateway.events.change(actor, async (tx) => {
      await clearExpired(gateway, tx, image._id, recipient);
      const added = await addShare(gateway, tx, { image: image._id, sharedBy: viewer._id, recipient, hours });
      if (!added) throw new AppError('NOT_FOUND');
      return added;
    });
    return { data: await presentCreated(gateway, id) };
  } catch (error) {
    throw isDuplicate(error) ? new AppError('ALREADY_SHARED') : error;
  }
}

/** Returns the recipient: a person whom the caller can see, with a usable account, who does not own the image. */
async function findRecipient(gateway: Gateway, viewer: Viewer, image: ImageDoc, id: string): Promise<ObjectId> {
  if (id === viewer.id) throw fieldError('createdfor', 'You cannot share an image with yourself.');
  const user = await gateway.models.User.findOne({
    $and: [{ _id: oid(id), ...usableAccount }, await visibleUsers(gateway, viewer)],
  }).lean<UserDoc>();
  if (!user) throw new AppError('NOT_FOUND');
  if (image.owner.equals(user._id)) throw theirsAlready();
  return user._id;
}

const theirsAlready = () => fieldError('createdfor', 'This image is theirs already.');

/** Ends a share that is overdue but not yet swept, so that it does not block a new one. */
async function clearExpired(gateway: Gateway, tx: Transaction, image: ObjectId, recipient: ObjectId): Promise<void> {
  const over = { image, recipient, ...overdueShare(gateway.clock.now()) };
  await endShares(gateway, tx, over, 'share.expire');
}

async function presentCreated(gateway: Gateway, id: ObjectId) {
  const share = await gateway.models.Share.findById(id).lean<ShareDoc>();
  if (!share) throw new AppError('NOT_FOUND');
  return {
    id: String(share._id),
    imagemetadataId: String(share.image),
    createdfor: String(share.recipient),
    expiresAt: share.expiresAt?.toISOString() ?? null,
  };
}

interface Managed {
  share: ShareDoc;
  image: ImageDoc;
}

/** Returns a share, live or ended, of an image that the viewer may share. It is `NOT_FOUND` for everyone else. */
async function requireManaged(gateway: Gateway, viewer: Viewer, id: string): Promise<Managed> {
  const share = await gateway.models.Share.findById(oid(id)).lean<ShareDoc>();
  const image = share && (await gateway.models.Image.findById(share.image).lean<ImageDoc>());
  if (!share || !image) throw new AppError('NOT_FOUND');
  const facts = { ownerId: String(image.owner), patientId: null, share: null };
  if (!imageRules.share(viewer, facts)) throw new AppError('NOT_FOUND');
  return { share, image };
}

export async function resendShare({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof shareCalls.resendShare>): Promise<Answer<unknown>> {
  const { share, image } = await requireManaged(gateway, viewer, params.id);
  const now = gateway.clock.now();
  if (!isLive(share, now)) throw new AppError('EXPIRED');
  await gateway.throttle.take('shareMail', { recipient: String(share.recipient) });
  await gateway.events.change(actor, async (tx) => {
    const renewed = await gateway.models.Share.updateOne(
      { _id: share._id, ...liveShare(now) },
      { $set: { ...newCodeSeed(gateway.keys.codes), tries: 0, codeExpiresAt: codeEnd(now, share.expiresAt ?? null) } },
      { session: tx.session },
    );
    if (renewed.matchedCount === 0) throw new AppError('EXPIRED');
    tx.record({
      type: 'share.resend',
      record: image._id,
      owners: [image.owner],
      refs: { share: share._id },
    });
    return share._id;
  });
  return { data: null };
}

export async function revokeShare({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof shareCalls.revokeShare>): Promise<Answer<unknown>> {
  const { share } = await requireManaged(gateway, viewer, params.id);
  await gateway.events.change(actor, async (tx) => {
    await endShares(gateway, tx, { _id: share._id, image: share.image }, 'share.revoke');
    return share._id;
  });
  return { data: null };
}

export async function listShares({
  gateway,
  actor,
  viewer,
  query,
}: Context<typeof shareCalls.listShares>): Promise<Answer<ShareAccess[]>> {
  const now = gateway.clock.now();
  const { image } = await requireImage(gateway.models, viewer, query.imageId, 'share', now);
  const shares = await gateway.models.Share.find({ image: image._id, ...liveShare(now) })
    .sort({ createAt: -1 })
    .limit(500)
    .lean<ShareDoc[]>();
  const users = await gateway.models.User.find(
    { _id: { $in: shares.map((share) => share.recipient) } },
    { firstname: 1, lastname: 1, role: 1 },
  ).lean<UserDoc[]>();
  const byId = new Map(users.map((user) => [String(user._id), user]));
  await gateway.events.record(actor, {
    type: 'share.list',
    record: image._id,
    owners: [image.owner],
  });
  return {
    data: shares.flatMap((share) => {
      const user = byId.get(String(share.recipient));
      return user ? [presentAccess(share, user, now)] : [];
    }),
  };
}

const presentAccess = (share: ShareDoc, user: UserDoc, now: Date): ShareAccess => ({
  id: String(share._id),
  imagemetadataId: String(share.image),
  recipient: {
    id: String(user._id),
    firstname: user.firstname ?? '',
    lastname: user.lastname ?? '',
    role: user.role,
  },
  createAt: share.createAt.toISOString(),
  expiresAt: share.expiresAt?.toISOString() ?? null,
  isVerified: Boolean(share.verifiedAt),
  locked: shareState(share, now) === 'locked',
});

import type { DataOf } from '@lightbox/contract/call.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import type { ShareAccess, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { texts } from '@lightbox/contract/texts.js';
import { usableAccount } from '@lightbox/core/access/accounts.js';
import { refreshAudience } from '@lightbox/core/access/audience.js';
import { holdImage, holdStudy, holdUser } from '@lightbox/core/access/hold.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { covering, isLive, liveShare, overdueShare, type ShareTarget, sharesOf } from '@lightbox/core/access/shares.js';
import { requireStudy } from '@lightbox/core/access/studies.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { endShares } from '@lightbox/core/sharing/endShares.js';
import { aboutShare, ownerOf } from '@lightbox/core/sharing/shareTarget.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { namesOfTarget, presentAccess } from './present.js';

interface NewShare extends ShareTarget {
  sharedBy: ObjectId;
  recipient: ObjectId;
  /** Null for the permanent share of the patient. */
  hours: number | null;
}

/** Shares that are made by one act of one person, in one transaction. */
interface Act {
  id: ObjectId;
  /** The recipients about whose mail an earlier share of the act has decided. */
  recipients: Set<string>;
}

/** Begins an act. Call it inside the transaction, so that a repeated transaction begins again. */
export const newAct = (): Act => ({ id: newId(), recipients: new Set() });

/** Returns the expiry of a share's code: the end of the share, or a month for a permanent share. */
const codeEnd = (now: Date, shareEnd: Date | null): Date =>
  shareEnd ?? new Date(now.getTime() + limits.standingCodeDays * 24 * 3_600_000);

/**
 * Writes a share and its event as part of a transaction, and updates the audience of the images that it covers. Several
 * shares of one act are mailed to each recipient together. Returns null when the recipient's account is not usable.
 * Throws `NOT_FOUND` when the image or the study was deleted since the caller read it.
 */
export async function addShare(
  gateway: Gateway,
  tx: Transaction,
  wanted: NewShare,
  act = newAct(),
): Promise<ObjectId | null> {
  const { models } = gateway;
  const now = gateway.clock.now();
  const target = await holdTarget(gateway, tx, wanted);
  const { owner } = target;
  if (owner.equals(wanted.recipient)) throw theirsAlready();
  if (!(await holdUser(models, { _id: wanted.recipient }, tx.session))) return null;
  const expiresAt = wanted.hours === null ? null : new Date(now.getTime() + wanted.hours * 3_600_000);
  const share: ShareDoc = {
    _id: newId(),
    image: target.image,
    ...(wanted.study ? { study: wanted.study } : {}),
    sharedBy: wanted.sharedBy,
    recipient: wanted.recipient,
    createAt: now,
    batch: act.id,
    ...(expiresAt ? { expiresAt } : {}),
    codeExpiresAt: codeEnd(now, expiresAt),
    ...newCodeSeed(gateway.keys.codes),
    tries: 0,
    live: true,
  };
  await models.Share.create([share], { session: tx.session });
  await refreshAudience(models, share, now, tx.session);
  const mailed = await sendsMail(gateway, act, wanted.recipient);
  const { record, refs } = aboutShare(share);
  tx.record({
    type: 'share.create',
    record,
    owners: [owner],
    recipients: [wanted.recipient, owner],
    refs: { ...refs, ...(mailed ? { mailed: wanted.recipient } : {}) },
  });
  return share._id;
}

/**
 * Returns true for the first share of an act to a person: its event sends the mail about all shares of the act. Beyond
 * the hourly number of mails to one person no mail is sent: the shares wait in the app, and their codes can be sent
 * later (`resendShare`).
 */
async function sendsMail({ throttle }: Gateway, { recipients }: Act, recipient: ObjectId): Promise<boolean> {
  const key = String(recipient);
  if (recipients.has(key)) return false;
  recipients.add(key);
  return throttle.tryTake('shareMail', { recipient: key });
}

/** Returns the owner of the share's target, and the image that stands for it now. */
export async function holdTarget(
  { models }: Gateway,
  tx: Transaction,
  { image, study }: ShareTarget,
): Promise<{ owner: ObjectId; image: ObjectId }> {
  if (!study) return { owner: (await holdImage(models, image, tx.session)).owner, image };
  const { owner, lead } = await holdStudy(models, study, tx.session);
  return { owner, image: lead ?? image };
}

interface Shared {
  target: ShareTarget;
  owner: ObjectId;
}

/** Returns the image or the study that the viewer wants to share or manage. */
export async function requireTarget(
  { models, clock }: Gateway,
  viewer: Viewer,
  { imageId, studyId }: { imageId?: string | undefined; studyId?: string | undefined },
): Promise<Shared> {
  if (studyId === undefined) {
    const { image } = await requireImage(models, viewer, imageId ?? '', 'share', clock.now());
    return { target: { image: image._id }, owner: image.owner };
  }
  const { study } = await requireStudy(models, viewer, studyId, 'share', clock.now());
  if (!study.lead) throw fieldError('studyId', texts.emptyStudy);
  return { target: { image: study.lead, study: study._id }, owner: study.owner };
}

export async function createShare({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof shareCalls.createShare>): Promise<Answer<DataOf<typeof shareCalls.createShare>>> {
  const wanted = { imageId: body.imagemetadataId, studyId: body.studyId };
  const { target, owner } = await requireTarget(gateway, viewer, wanted);
  const earlier = await gateway.events.earlier(actor);
  if (earlier) return { data: await presentCreated(gateway, earlier) };
  const recipient = await findRecipient(gateway, viewer, owner, body.createdfor);
  const hours = body.expiresInHours ?? (await gateway.settings.get('sharing.expiryHours'));
  try {
    const id = await gateway.events.change(actor, async (tx) => {
      await clearExpired(gateway, tx, target, recipient);
      const added = await addShare(gateway, tx, { ...target, sharedBy: viewer._id, recipient, hours });
      if (!added) throw new AppError('NOT_FOUND');
      return added;
    });
    return { data: await presentCreated(gateway, id) };
  } catch (error) {
    throw isDuplicate(error) ? new AppError('ALREADY_SHARED') : error;
  }
}

/** Returns the recipient: a person whom the caller can see, with a usable account, who is not the owner. */
async function findRecipient(gateway: Gateway, viewer: Viewer, owner: ObjectId, id: string): Promise<ObjectId> {
  if (id === viewer.id) throw fieldError('createdfor', 'You cannot share an image with yourself.');
  const user = await gateway.models.User.findOne({
    $and: [{ _id: oid(id), ...usableAccount }, await visibleUsers(gateway, viewer)],
  }).lean<UserDoc>();
  if (!user) throw new AppError('NOT_FOUND');
  if (owner.equals(user._id)) throw theirsAlready();
  return user._id;
}

const theirsAlready = () => fieldError('createdfor', 'This image is theirs already.');

/** Ends a share that is overdue but not yet swept, so that it does not block a new one. */
async function clearExpired(
  gateway: Gateway,
  tx: Transaction,
  target: ShareTarget,
  recipient: ObjectId,
): Promise<void> {
  const over = { recipient, ...overdueShare(gateway.clock.now()) };
  await endShares(gateway, tx, target, over, 'share.expire');
}

async function presentCreated(gateway: Gateway, id: ObjectId) {
  const share = await gateway.models.Share.findById(id).lean<ShareDoc>();
  if (!share) throw new AppError('NOT_FOUND');
  return {
    id: String(share._id),
    ...namesOfTarget(share),
    createdfor: String(share.recipient),
    expiresAt: share.expiresAt?.toISOString() ?? null,
  };
}

interface Managed {
  share: ShareDoc;
  owner: ObjectId;
}

/** Returns a share, live or ended, of an image or a study that the viewer may share. It is `NOT_FOUND` for others. */
async function requireManaged(gateway: Gateway, viewer: Viewer, id: string): Promise<Managed> {
  const share = await gateway.models.Share.findById(oid(id)).lean<ShareDoc>();
  const owner = share && (await ownerOf(gateway.models, share));
  if (!share || !owner) throw new AppError('NOT_FOUND');
  const facts = { ownerId: String(owner), patientId: null, share: null };
  if (!imageRules.share(viewer, facts)) throw new AppError('NOT_FOUND');
  return { share, owner };
}

export async function resendShare({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof shareCalls.resendShare>): Promise<Answer<unknown>> {
  const { share, owner } = await requireManaged(gateway, viewer, params.id);
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
      ...aboutShare(share),
      owners: [owner],
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
    await endShares(gateway, tx, share, { _id: share._id }, 'share.revoke');
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
  const { target, owner } = await requireTarget(gateway, viewer, query);
  const image = await gateway.models.Image.findById(target.image, { study: 1 }).lean<ImageDoc>();
  const among = target.study || !image ? sharesOf(target) : covering([image]);
  const shares = await gateway.models.Share.find({ ...among, ...liveShare(now) })
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
    record: target.study ?? target.image,
    owners: [owner],
  });
  return {
    data: shares.flatMap((share) => {
      const user = byId.get(String(share.recipient));
      return user ? [presentAccess(share, user, now)] : [];
    }),
  };
}

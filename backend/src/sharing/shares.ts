import type { DataOf } from '@lightbox/contract/call.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import type { ShareAccess, ShareCreated, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { shareRules } from '@lightbox/contract/sharing/policy.js';
import { usableAccount } from '@lightbox/core/access/accounts.js';
import { refreshCards } from '@lightbox/core/access/cards.js';
import { covering, isLive, liveShare, sharesOf } from '@lightbox/core/access/shares.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { isDuplicate, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { endShares } from '@lightbox/core/sharing/endShares.js';
import { aboutShare, ownerOf } from '@lightbox/core/sharing/shareTarget.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { requireDeidentifiable } from '../images/copies.js';
import { refFields } from '../users/present.js';
import { addShare, codeEnd, theirsAlready } from './addShares.js';
import { requireMailToPerson } from './mailLimits.js';
import { presentAccess, presentCreated } from './present.js';
import { requireTarget } from './targets.js';

export async function createShare({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof shareCalls.createShare>): Promise<Answer<DataOf<typeof shareCalls.createShare>>> {
  // First: a repeated request has the answer of before, also when the image is gone since.
  const earlier = await gateway.events.earlier(actor);
  if (earlier) return { data: await readCreated(gateway, earlier) };
  const wanted = { imageId: body.imagemetadataId, studyId: body.studyId };
  const { target, owner } = await requireTarget(gateway, viewer, wanted);
  const recipient = await findRecipient(gateway, viewer, owner, body.createdfor);
  const hours = body.expiresInHours ?? (await gateway.settings.get('sharing.expiryHours'));
  const { note, download, deidentified } = body;
  if (deidentified) await requireDeidentifiable(gateway, target);
  try {
    const id = await gateway.events.change(actor, async (tx) => {
      const terms = { sharedBy: viewer._id, hours, note, download, deidentified };
      const added = await addShare(gateway, tx, { ...target, recipient, ...terms });
      if (!added) throw new AppError('NOT_FOUND');
      return added;
    });
    return { data: await readCreated(gateway, id) };
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

async function readCreated(gateway: Gateway, id: ObjectId): Promise<ShareCreated> {
  const share = await gateway.models.Share.findById(id).lean<ShareDoc>();
  if (!share) throw new AppError('NOT_FOUND');
  return presentCreated(share);
}

interface Managed {
  share: ShareDoc;
  owner: ObjectId;
  /** False for a viewer who is only the recipient. */
  manages: boolean;
}

/** Returns a share, live or ended, that the viewer manages or has received. It is `NOT_FOUND` for others. */
async function requireShare(gateway: Gateway, viewer: Viewer, id: string): Promise<Managed> {
  const share = await gateway.models.Share.findById(oid(id)).lean<ShareDoc>();
  const owner = share && (await ownerOf(gateway.models, share));
  if (!share || !owner) throw new AppError('NOT_FOUND');
  const manages = imageRules.share(viewer, { ownerId: String(owner), patientId: null, share: null });
  if (!manages && !shareRules.askAgain(viewer, { recipientId: String(share.recipient) })) {
    throw new AppError('NOT_FOUND');
  }
  return { share, owner, manages };
}

/** As `requireShare`, for viewers who may share its image or study. */
export async function requireManaged(gateway: Gateway, viewer: Viewer, id: string): Promise<Managed> {
  const managed = await requireShare(gateway, viewer, id);
  if (!managed.manages) throw new AppError('NOT_FOUND');
  return managed;
}

export async function resendShare({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof shareCalls.resendShare>): Promise<Answer<unknown>> {
  const { share, owner, manages } = await requireShare(gateway, viewer, params.id);
  const now = gateway.clock.now();
  if (!isLive(share, now)) throw new AppError('EXPIRED');
  if (!manages) await takeForRecipient(gateway, viewer, params.id);
  await requireMailToPerson(gateway, share.recipient);
  await gateway.events.change(actor, async (tx) => {
    const renewed = await gateway.models.Share.updateOne(
      { _id: share._id, ...liveShare(now) },
      { $set: { ...newCodeSeed(gateway.keys.codes), tries: 0, codeExpiresAt: codeEnd(now, share.expiresAt ?? null) } },
      { session: tx.session },
    );
    if (renewed.matchedCount === 0) throw new AppError('EXPIRED');
    await refreshCards(gateway.models, share, now, tx.session);
    tx.record({
      type: 'share.resend',
      ...aboutShare(share),
      owners: [owner],
      recipients: [share.recipient, share.sharedBy, owner],
    });
    return share._id;
  });
  return { data: null };
}

/** Takes the points of a recipient who asks for a new code: each code gives further tries. */
async function takeForRecipient({ throttle }: Gateway, viewer: Viewer, share: string): Promise<void> {
  const subject = { caller: viewer.id, share };
  await throttle.take('shareCodeWait', subject);
  await throttle.take('shareCodes', subject);
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
    { ...refFields, role: 1 },
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
      return user ? [presentAccess(gateway, share, user, now)] : [];
    }),
  };
}

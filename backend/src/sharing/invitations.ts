import { imageRules } from '@lightbox/contract/images/policy.js';
import type { Invitation, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError, unlessDamaged } from '@lightbox/core/errors.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import { aboutInvite, endInvite } from '@lightbox/core/sharing/endInvite.js';
import { inviteEnd, openAddress, waitingInvite } from '@lightbox/core/sharing/invites.js';
import { ownerOf } from '@lightbox/core/sharing/shareTarget.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { requireMailToAddress } from './mailLimits.js';
import { presentNote } from './present.js';
import { requireTarget } from './targets.js';

export async function listInvitations({
  gateway,
  actor,
  viewer,
  query,
}: Context<typeof shareCalls.listInvitations>): Promise<Answer<Invitation[]>> {
  const { target, owner } = await requireTarget(gateway, viewer, query);
  const image = await gateway.models.Image.findById(target.image, { study: 1 }).lean<ImageDoc>();
  const study = target.study ?? image?.study;
  const objects = [...(target.study ? [] : [{ image: target.image }]), ...(study ? [{ study }] : [])];
  const invites = await gateway.models.Invite.find({ $or: objects, ...waitingInvite(gateway.clock.now()) })
    .sort({ createAt: -1, _id: -1 })
    .limit(500)
    .lean<InviteDoc[]>();
  await gateway.events.record(actor, { type: 'share.list', record: target.study ?? target.image, owners: [owner] });
  return { data: invites.flatMap((invite) => present(gateway, invite) ?? []) };
}

/** An invitation with a damaged address is logged and left out. */
function present(gateway: Gateway, invite: InviteDoc): Invitation | null {
  const email = unlessDamaged(gateway.log, () => openAddress(gateway.keys, invite));
  if (!email) return null;
  return {
    id: String(invite._id),
    email,
    createAt: invite.createAt.toISOString(),
    endsAt: invite.expiresAt.toISOString(),
    expiresInHours: invite.hours,
    download: invite.download !== false,
    ...(invite.deidentified ? { deidentified: true as const } : {}),
    ...presentNote(gateway, invite),
  };
}

/** Returns an invitation that waits, to an image or a study that the viewer may share. It is `NOT_FOUND` for others. */
async function requireInvite({ models, clock }: Gateway, viewer: Viewer, id: string): Promise<InviteDoc> {
  const invite = await models.Invite.findOne({ _id: oid(id), ...waitingInvite(clock.now()) }).lean<InviteDoc>();
  const owner = invite && (await ownerOf(models, invite));
  if (!invite || !owner) throw new AppError('NOT_FOUND');
  if (!imageRules.share(viewer, { ownerId: String(owner), patientId: null, share: null })) {
    throw new AppError('NOT_FOUND');
  }
  return invite;
}

export async function resendInvitation({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof shareCalls.resendInvitation>): Promise<Answer<unknown>> {
  const { models, keys, clock } = gateway;
  const invite = await requireInvite(gateway, viewer, params.id);
  await requireMailToAddress(gateway, 'inviteMail', openAddress(keys, invite));
  const now = clock.now();
  await gateway.events.change(actor, async (tx) => {
    const renewed = await models.Invite.updateOne(
      { _id: invite._id, ...waitingInvite(now) },
      { $set: { ...newCodeSeed(keys.codes), expiresAt: inviteEnd(now) } },
      { session: tx.session },
    );
    if (renewed.matchedCount === 0) throw new AppError('NOT_FOUND');
    tx.record({ type: 'invite.resent', ...(await aboutInvite(gateway, tx, invite)) });
    return invite._id;
  });
  return { data: null };
}

export async function cancelInvitation({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof shareCalls.cancelInvitation>): Promise<Answer<unknown>> {
  const { _id } = await requireInvite(gateway, viewer, params.id);
  await gateway.events.change(actor, async (tx) => {
    await endInvite(gateway, tx, { _id }, '');
    return _id;
  });
  return { data: null };
}

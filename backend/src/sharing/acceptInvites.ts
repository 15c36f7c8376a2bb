import type { authCalls } from '@lightbox/contract/auth/calls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { Id } from '@lightbox/contract/ids.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import type { ShareTarget } from '@lightbox/core/access/shares.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { isLinkToken } from '@lightbox/core/keys/codes.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { aboutInvite } from '@lightbox/core/sharing/endInvite.js';
import { invitesOf, openAddress, waitingInvite } from '@lightbox/core/sharing/invites.js';
import { openNote } from '@lightbox/core/sharing/notes.js';
import { ownerOf } from '@lightbox/core/sharing/shareTarget.js';
import { accountRefusal } from '../auth/accountRefusal.js';
import type { Answer, Context, Gateway } from '../context.js';
import { addShares, newAct } from './addShares.js';

/** Returns the invitation of a mailed link; `EXPIRED` when it has ended, was accepted, or never was. */
export async function inviteByLink({ models, keys, clock }: Gateway, token: string): Promise<InviteDoc> {
  const [id = ''] = token.split('.');
  const found = Id.safeParse(id).success
    ? await models.Invite.findOne({ _id: oid(id), ...waitingInvite(clock.now()) }).lean<InviteDoc>()
    : null;
  if (!found || !isLinkToken(keys.codes, id, found, token)) throw new AppError('EXPIRED');
  return found;
}

/**
 * Makes shares of the invitations that wait for an account's address. Part of a transaction after which the account is
 * usable. The recipient enters the codes of the shares as usual. An invitation is left out while nothing can be shared:
 * its study is empty, or the person who invited may no longer share the image. Returns the number of the others.
 */
export async function acceptInvites(gateway: Gateway, tx: Transaction, { _id, email }: UserDoc): Promise<number> {
  const { models, keys, clock } = gateway;
  const { session } = tx;
  const waiting = { ...invitesOf(keys, email), ...waitingInvite(clock.now()) };
  const invites = await models.Invite.find(waiting, null, { session }).sort({ _id: 1 }).lean<InviteDoc[]>();
  if (invites.length === 0 || !(await holdUser(models, { _id }, session))) return 0;
  const act = newAct();
  let accepted = 0;
  for (const invite of invites) {
    const target = await targetOf(gateway, tx, invite);
    if (!target) continue;
    accepted += 1;
    const { hours, download, deidentified } = invite;
    const note = invite.note && openNote(keys, invite._id, invite.note);
    await models.Invite.deleteOne({ _id: invite._id }, { session });
    tx.record({ type: 'invite.accepted', ...(await aboutInvite(gateway, tx, invite)), actor: _id });
    await addShares(
      gateway,
      tx,
      target,
      [_id],
      { sharedBy: invite.by, hours, note, download, deidentified, invite: invite._id },
      act,
    );
  }
  return accepted;
}

/** Returns the image or the study of an invitation; null while nothing of it can be shared by the one who invited. */
async function targetOf({ models }: Gateway, tx: Transaction, invite: InviteDoc): Promise<ShareTarget | null> {
  const { session } = tx;
  const { image, study, by } = invite;
  const lead = study ? (await models.Study.findById(study, { lead: 1 }, { session }).lean<StudyDoc>())?.lead : image;
  const target = lead && { image: lead, ...(study ? { study } : {}) };
  const owner = target && (await ownerOf(models, target, session));
  const sharer = owner && (await holdUser(models, { _id: by }, session));
  const facts = { ownerId: String(owner), patientId: null, share: null };
  return sharer && imageRules.share({ id: String(by), role: sharer.role }, facts) ? target : null;
}

type Read = typeof authCalls.readInvitation;

/** Answers who an invitation is for. Only the owner of the mailbox has its link. */
export async function readInvitation({ gateway, body }: Context<Read>): Promise<Answer<DataOf<Read>>> {
  const email = openAddress(gateway.keys, await inviteByLink(gateway, body.token));
  return { data: { email, hasAccount: (await accountOf(gateway, email)) !== null } };
}

/** Gives the waiting images to the account that the address of an invitation has. */
export async function acceptInvitation({
  gateway,
  actor,
  body,
}: Context<typeof authCalls.acceptInvitation>): Promise<Answer<unknown>> {
  const user = await accountOf(gateway, openAddress(gateway.keys, await inviteByLink(gateway, body.token)));
  if (!user) throw new AppError('EXPIRED');
  const refused = accountRefusal(user);
  if (refused) throw new AppError(refused);
  await gateway.events.change(actor, async (tx) => {
    if ((await acceptInvites(gateway, tx, user)) === 0) throw new AppError('EXPIRED');
    return user._id;
  });
  return { data: null };
}

const accountOf = ({ models }: Gateway, email: string): Promise<UserDoc | null> =>
  models.User.findOne({ email, deletedAt: { $exists: false } }).lean<UserDoc>();

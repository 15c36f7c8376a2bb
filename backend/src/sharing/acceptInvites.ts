import type { authCalls } from '@lightbox/contract/auth/calls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { Id } from '@lightbox/contract/ids.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import type { ShareTarget } from '@lightbox/core/access/shares.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
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
import { type Act, addShares, newAct } from './addShares.js';

/** Returns the invitation of a mailed link; `EXPIRED` when it has ended, was accepted, or never was. */
export async function inviteByLink({ models, keys, clock }: Gateway, token: string): Promise<InviteDoc> {
  const [id = ''] = token.split('.');
  const found = Id.safeParse(id).success
    ? await models.Invite.findOne({ _id: oid(id), ...waitingInvite(clock.now()) }).lean<InviteDoc>()
    : null;
  if (!found || !isLinkToken(keys.codes, id, found, token)) throw new AppError('EXPIRED');
  return found;
}

/** Time in one transaction for invitations: those to images of large studies write many records. */
const TURN_MS = 3_000;
/** Longest time that a call waits for the invitations that its transaction left. */
const REST_MS = 5_000;

interface Accepted {
  accepted: number;
  /** True when invitations are left that nobody has looked at. */
  more: boolean;
}

/**
 * Makes shares of the oldest invitations that wait for an account's address, as many as one transaction can: the account
 * notes how far it came, and `acceptRest` goes on from there. Part of a transaction after which the account is usable. The
 * recipient enters the codes of the shares as usual. An invitation is left out while nothing can be shared: its study is
 * empty, or the person who invited may no longer share the image. `first` is the invitation whose link was followed.
 */
export async function acceptInvites(
  gateway: Gateway,
  tx: Transaction,
  { _id, email }: Pick<UserDoc, '_id' | 'email'>,
  first?: ObjectId,
): Promise<Accepted> {
  const { models, keys, clock } = gateway;
  const { session } = tx;
  const waiting = { ...invitesOf(keys, email), ...waitingInvite(clock.now()) };
  if (!(await models.Invite.exists(waiting).session(session))) return { accepted: 0, more: false };
  const held = await holdUser(models, { _id }, session);
  if (!held) return { accepted: 0, more: false };
  const after = held.invitesAfter;
  const next = await models.Invite.find({ ...waiting, ...(after ? { _id: { $gt: after } } : {}) }, null, { session })
    .sort({ _id: 1 })
    .limit(limits.batchItems + 1)
    .lean<InviteDoc[]>();
  const until = performance.now() + TURN_MS;
  const act = newAct();
  let accepted = 0;
  const followed =
    first && (await models.Invite.findOne({ ...waiting, _id: first }, null, { session }).lean<InviteDoc>());
  if (followed && (await accept(gateway, tx, followed, _id, act))) accepted += 1;
  let looked = 0;
  for (const invite of next.slice(0, limits.batchItems)) {
    if (looked > 0 && performance.now() >= until) break;
    looked += 1;
    if (!followed?._id.equals(invite._id) && (await accept(gateway, tx, invite, _id, act))) accepted += 1;
  }
  const more = looked < next.length;
  const position = more ? { $set: { invitesAfter: next[looked - 1]?._id } } : { $unset: { invitesAfter: 1 as const } };
  if (more || after) await models.User.updateOne({ _id }, position, { session });
  return { accepted, more };
}

/** Makes the share of one invitation. False while nothing can be shared. */
async function accept(
  gateway: Gateway,
  tx: Transaction,
  invite: InviteDoc,
  recipient: ObjectId,
  act: Act,
): Promise<boolean> {
  const target = await targetOf(gateway, tx, invite);
  if (!target) return false;
  const { hours, download, deidentified } = invite;
  const note = invite.note && openNote(gateway.keys, invite._id, invite.note);
  await gateway.models.Invite.deleteOne({ _id: invite._id }, { session: tx.session });
  tx.record({ type: 'invite.accepted', ...(await aboutInvite(gateway, tx, invite)), actor: recipient });
  const terms = { sharedBy: invite.by, hours, note, download, deidentified, invite: invite._id };
  await addShares(gateway, tx, target, [recipient], terms, act);
  return true;
}

/**
 * Accepts the invitations that the proof of an account's address left, in further transactions. Those that are left after
 * some seconds, or by a crash, wait for the next sign-in or token of the account. Never throws.
 */
export async function acceptRest(gateway: Gateway, user: ObjectId, ip: string): Promise<void> {
  const until = performance.now() + REST_MS;
  try {
    const account = await gateway.models.User.findById(user, { email: 1, invitesAfter: 1 }).lean<UserDoc>();
    let more = account?.invitesAfter !== undefined;
    while (account && more && performance.now() < until) {
      await gateway.events.change({ ip }, async (tx) => {
        more = (await acceptInvites(gateway, tx, account)).more;
        return user;
      });
    }
  } catch (error) {
    gateway.warn(error, 'invitations are left to the next sign-in');
  }
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
  const invite = await inviteByLink(gateway, body.token);
  const user = await accountOf(gateway, openAddress(gateway.keys, invite));
  if (!user) throw new AppError('EXPIRED');
  const refused = accountRefusal(user);
  if (refused) throw new AppError(refused);
  await gateway.events.change(actor, async (tx) => {
    const { accepted } = await acceptInvites(gateway, tx, user, invite._id);
    if (accepted === 0) throw new AppError('EXPIRED');
    return user._id;
  });
  await acceptRest(gateway, user._id, actor.ip);
  return { data: null };
}

const accountOf = ({ models }: Gateway, email: string): Promise<UserDoc | null> =>
  models.User.findOne({ email, deletedAt: { $exists: false } }).lean<UserDoc>();

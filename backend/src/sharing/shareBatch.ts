import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import type { Skipped, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { usableAccount } from '@lightbox/core/access/accounts.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import { type ObjectId, oid, sameId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { addressHash } from '@lightbox/core/sharing/invites.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { requireDeidentifiable } from '../images/copies.js';
import { addInvite } from './addInvites.js';
import { addShares, newAct } from './addShares.js';
import { namesOfTarget, presentCreated } from './present.js';
import { requireTarget, type Shared } from './targets.js';

type Call = typeof shareCalls.shareBatch;

/** The recipients of an act. */
interface Recipients {
  people: ObjectId[];
  /** Addresses without an account that the caller can see. */
  strangers: string[];
}

/** Shares several images and studies with several people, in one transaction. One mail goes to each person. */
export async function shareBatch({ gateway, actor, viewer, body }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const objects = await requireTargets(gateway, viewer, body);
  const recipients = await findRecipients(gateway, viewer, body);
  const earlier = await gateway.events.earlier(actor);
  if (earlier) return { data: await presentBatch(gateway, earlier, objects, recipients) };
  for (const _ of recipients.strangers) await gateway.throttle.take('invite', { caller: viewer.id });
  const { note, download, deidentified } = body;
  if (deidentified) for (const { target } of objects) await requireDeidentifiable(gateway, target);
  const hours = body.expiresInHours ?? (await gateway.settings.get('sharing.expiryHours'));
  const terms = { sharedBy: viewer._id, hours, note, download, deidentified };
  const batch = await gateway.events.change(actor, async (tx) => {
    const act = newAct();
    for (const _id of recipients.people) {
      if (!(await holdUser(gateway.models, { _id }, tx.session))) throw new AppError('NOT_FOUND');
    }
    for (const { target } of objects) {
      await addShares(gateway, tx, target, recipients.people, terms, act);
      for (const email of recipients.strangers) await addInvite(gateway, tx, target, email, terms, act);
    }
    return act.id;
  });
  return { data: await presentBatch(gateway, batch, objects, recipients) };
}

/** Returns the images and studies; 404 when the caller may not know of one of them, 403 when they may not share it. */
async function requireTargets(gateway: Gateway, viewer: Viewer, { images, studies }: BodyOf<Call>): Promise<Shared[]> {
  const wanted = [...images.map((imageId) => ({ imageId })), ...studies.map((studyId) => ({ studyId }))];
  return Promise.all(wanted.map((one) => requireTarget(gateway, viewer, one)));
}

/**
 * Returns the accounts of the recipients. An address of an account that the caller finds in the directory is that
 * person. Every other address is invited, with or without an account, so that the answer tells no more than the
 * directory does.
 */
async function findRecipients(gateway: Gateway, viewer: Viewer, { people, emails }: BodyOf<Call>): Promise<Recipients> {
  const oneself = 'You cannot share an image with yourself.';
  if (people.includes(viewer.id)) throw fieldError('people', oneself);
  const ids = people.map(oid);
  const own = await gateway.models.User.exists({ _id: viewer._id, email: { $in: emails } });
  if (own) throw fieldError('emails', oneself);
  const users = await gateway.models.User.find(
    {
      $and: [
        { $or: [{ _id: { $in: ids } }, { email: { $in: emails } }], ...usableAccount },
        await visibleUsers(gateway, viewer),
      ],
    },
    { email: 1 },
  )
    .sort({ _id: 1 })
    .lean<UserDoc[]>();
  if (ids.some((id) => !users.some(({ _id }) => _id.equals(id)))) throw new AppError('NOT_FOUND');
  const known = new Set(users.map(({ email }) => email));
  return { people: users.map(({ _id }) => _id), strangers: emails.filter((email) => !known.has(email)) };
}

/** Presents the shares and invitations that an act has made, and the pairs that it left out. */
async function presentBatch(
  { models, keys }: Gateway,
  batch: ObjectId,
  objects: Shared[],
  { people, strangers }: Recipients,
): Promise<DataOf<Call>> {
  const [shares, invites] = await Promise.all([
    models.Share.find({ batch }).sort({ _id: 1 }).lean<ShareDoc[]>(),
    models.Invite.find({ batch }).sort({ _id: 1 }).lean<InviteDoc[]>(),
  ]);
  const pairs = objects.flatMap(({ target, owner }) => {
    const { imagemetadataId, studyId } = namesOfTarget(target);
    const name = studyId ? { studyId } : { imagemetadataId };
    const ofTarget = (made: { image?: ObjectId; study?: ObjectId }) =>
      target.study ? sameId(target.study, made.study) : !made.study && sameId(target.image, made.image);
    return { name, owner, shares: shares.filter(ofTarget), invites: invites.filter(ofTarget) };
  });
  const emailOf = new Map(strangers.map((email) => [addressHash(keys, email), email]));
  return {
    shares: shares.map(presentCreated),
    invited: pairs.flatMap(({ name, invites }) =>
      invites.map((invite) => ({ id: String(invite._id), email: emailOf.get(invite.addressHash) ?? '', ...name })),
    ),
    skipped: pairs.flatMap(({ name, owner, ...made }): Skipped[] => [
      ...people
        .filter((person) => !made.shares.some(({ recipient }) => recipient.equals(person)))
        .map((person) => ({
          ...name,
          createdfor: String(person),
          reason: owner.equals(person) ? ('THEIRS' as const) : ('ALREADY_SHARED' as const),
        })),
      ...strangers
        .filter((email) => !made.invites.some((invite) => emailOf.get(invite.addressHash) === email))
        .map((email) => ({ ...name, email, reason: 'ALREADY_SHARED' as const })),
    ]),
  };
}

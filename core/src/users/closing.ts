import { requestMoves } from '@lightbox/contract/requests/states.js';
import { usableAdmin } from '../access/accounts.js';
import { refreshAudience } from '../access/audience.js';
import { seenBy } from '../access/grounds.js';
import { holdUser } from '../access/hold.js';
import { heldPatients } from '../access/legalHolds.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import { AppError } from '../errors.js';
import type { Actor } from '../events/events.js';
import { endGuestLinks } from '../guests/endGuestLinks.js';
import { removeImage } from '../images/removeImage.js';
import { removeVoice } from '../messages/removeVoice.js';
import type { ImageDoc } from '../models/image.js';
import type { ShareDoc } from '../models/share.js';
import type { StudyDoc } from '../models/study.js';
import { moveRequest } from '../requests/moveRequest.js';
import { endInvite } from '../sharing/endInvite.js';
import { endShares } from '../sharing/endShares.js';
import { removeStudy } from '../studies/removeStudy.js';

const BATCH = 100;

/** Returns the administrator who takes over images; null when there is none. */
export const heirOf = (core: Core, owner: ObjectId, session: Parameters<typeof holdUser>[2]) =>
  holdUser(core.models, { ...usableAdmin, _id: { $ne: owner } }, session);

/** Returns a function that finds the next records of one kind, and gives the work for each of them. */
const stepOf =
  <T>(find: () => Promise<T[]>, act: (found: T) => Promise<unknown>) =>
  async (): Promise<(() => Promise<unknown>)[]> =>
    (await find()).map((found) => () => act(found));

/**
 * Finishes the closing of an account: studies and images that name a patient go to an administrator, the others are
 * removed, and the shares with the account, its invitations, its guest links and its requests for images end. The
 * recordings of its voice messages are removed. Each step is a small transaction and
 * may be repeated. False when `until` came first; the next call continues.
 */
export async function finishClosing(core: Core, actor: Actor, user: ObjectId, until: Date): Promise<boolean> {
  const { Image, Study, Share, Invite, GuestLink, ImageRequest, Voice, Notification, User } = core.models;
  const closed = 'The account was closed.';
  const steps = [
    stepOf(
      () => Study.find({ owner: user }, { patient: 1, images: 1 }).limit(BATCH).lean<StudyDoc[]>(),
      ({ _id, patient, images }) =>
        patient && images > 0 ? giveStudy(core, actor, _id, user) : removeStudy(core, actor, _id, closed),
    ),
    stepOf(
      () => Image.find({ owner: user }, { patient: 1 }).limit(BATCH).lean<ImageDoc[]>(),
      ({ _id, patient }) =>
        patient
          ? giveImage(core, actor, _id, user)
          : removeImage(core, actor, _id, closed, { owner: user, patient: null }),
    ),
    stepOf(
      () => Share.find({ recipient: user, live: true }, { image: 1, study: 1 }).limit(BATCH).lean<ShareDoc[]>(),
      (share) => endReceived(core, actor, share, user),
    ),
    stepOf(
      () => Invite.find({ by: user }, { _id: 1 }).limit(BATCH).lean(),
      ({ _id }) => endGiven(core, actor, _id, closed),
    ),
    stepOf(
      () => GuestLink.find({ madeBy: user, live: true }, { _id: 1 }).limit(BATCH).lean(),
      ({ _id }) => endLink(core, actor, _id),
    ),
    stepOf(
      () =>
        ImageRequest.find({ by: user, state: { $in: [...requestMoves.close.from] } }, { _id: 1 })
          .limit(BATCH)
          .lean(),
      ({ _id }) => closeRequest(core, actor, _id),
    ),
    stepOf(
      // Those to a patient under a legal hold stay until it is lifted.
      async () =>
        Voice.find({ sender: user, recipient: { $nin: await heldPatients(core.models) } }, { _id: 1 })
          .limit(BATCH)
          .lean(),
      ({ _id }) => removeVoice(core, actor, _id, closed),
    ),
  ];
  for (const find of steps) {
    for (let work = await find(); work.length > 0; work = await find()) {
      for (const step of work) {
        if (core.clock.now() >= until) return false;
        await step();
      }
    }
  }
  await Notification.deleteMany({ user });
  await User.updateOne({ _id: user }, { $unset: { closing: 1 } });
  return true;
}

/** Gives an image to an administrator. The lists of shared images contain the owner too, so they change with it. */
async function giveImage(core: Core, actor: Actor, id: ObjectId, from: ObjectId): Promise<void> {
  const { models, clock, usage } = core;
  let given: { to: ObjectId; bytes: number } | null = null;
  await core.events.change(actor, async (tx) => {
    given = null;
    const heir = await heirOf(core, from, tx.session);
    if (!heir) throw new AppError('LAST_ADMIN');
    const to = heir._id;
    const mine = { _id: id, owner: from };
    const image = await models.Image.findOneAndUpdate(
      mine,
      { $set: { owner: to } },
      { session: tx.session },
    ).lean<ImageDoc>();
    if (!image) return id;
    // The new owner needs no share of the image.
    await endShares(core, tx, { image: id }, { recipient: to }, 'share.revoke');
    await refreshAudience(models, { image: id }, clock.now(), tx.session);
    tx.record({
      type: 'image.transfer',
      record: id,
      owners: [from, to],
      recipients: await seenBy(core, { ...image, owner: to }, image.audience, tx.session),
      reason: 'The account was closed.',
    });
    given = { to, bytes: image.size };
    return id;
  });
  const passed = given as { to: ObjectId; bytes: number } | null;
  if (passed) await usage.passOn(from, passed.to, passed.bytes);
}

/** Gives a study with all its images to an administrator, with one event. */
async function giveStudy(core: Core, actor: Actor, id: ObjectId, from: ObjectId): Promise<void> {
  const { models, clock, usage } = core;
  let given: { to: ObjectId; study: StudyDoc } | null = null;
  await core.events.change(actor, async (tx) => {
    given = null;
    const session = tx.session;
    const heir = await heirOf(core, from, session);
    if (!heir) throw new AppError('LAST_ADMIN');
    const to = heir._id;
    const study = await models.Study.findOneAndUpdate(
      { _id: id, owner: from },
      { $set: { owner: to } },
      { session },
    ).lean<StudyDoc>();
    if (!study?.lead) return id;
    await models.Image.updateMany({ study: id }, { $set: { owner: to } }, { session });
    // The new owner needs no share, of the study or of one of its images.
    await endShares(core, tx, { image: study.lead, study: id }, { recipient: to }, 'share.revoke');
    const images = await models.Image.find({ study: id }, { audience: 1 }, { session }).lean<ImageDoc[]>();
    for (const { _id, audience } of images) {
      if (audience.some((person) => person.equals(to))) {
        await endShares(core, tx, { image: _id }, { recipient: to }, 'share.revoke');
      }
    }
    await refreshAudience(models, { image: study.lead, study: id }, clock.now(), session);
    const audience = await models.Image.distinct('audience', { study: id }).session(session);
    tx.record({
      type: 'study.updated',
      record: id,
      owners: [from, to],
      recipients: await seenBy(core, { ...study, owner: to }, audience, session),
      reason: 'The account was closed.',
    });
    given = { to, study };
    return id;
  });
  const passed = given as { to: ObjectId; study: StudyDoc } | null;
  if (passed) await usage.passOn(from, passed.to, passed.study.bytes, passed.study.images);
}

async function endReceived(core: Core, actor: Actor, share: ShareDoc, user: ObjectId): Promise<void> {
  await core.events.change(actor, async (tx) => {
    await endShares(core, tx, share, { recipient: user }, 'share.revoke');
    return share.study ?? share.image;
  });
}

async function endGiven(core: Core, actor: Actor, invite: ObjectId, reason: 'The account was closed.'): Promise<void> {
  await core.events.change(actor, async (tx) => {
    await endInvite(core, tx, { _id: invite }, reason);
    return invite;
  });
}

async function endLink(core: Core, actor: Actor, id: ObjectId): Promise<void> {
  await core.events.change(actor, async (tx) => {
    await endGuestLinks(core, tx, { _id: id }, 'guest.revoked');
    return id;
  });
}

/** Its files are removed by maintenance, also when they arrive at this moment. */
async function closeRequest(core: Core, actor: Actor, id: ObjectId): Promise<void> {
  await core.events.change(actor, async (tx) => {
    await moveRequest(core, tx, id, 'close');
    return id;
  });
}

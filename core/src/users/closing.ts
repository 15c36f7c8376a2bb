import { usableAdmin } from '../access/accounts.js';
import { holdUser } from '../access/hold.js';
import { refreshAudience } from '../access/images.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import { AppError } from '../errors.js';
import type { Actor } from '../events/events.js';
import { removeImage } from '../images/removeImage.js';
import type { ImageDoc } from '../models/image.js';
import { endShares } from '../sharing/endShares.js';

const BATCH = 100;

/** Returns the administrator who takes over images; null when there is none. */
export const heirOf = (core: Core, owner: ObjectId, session: Parameters<typeof holdUser>[2]) =>
  holdUser(core.models, { ...usableAdmin, _id: { $ne: owner } }, session);

/**
 * Finishes the closing of an account: images that name a patient go to an administrator, the others are removed, and
 * shares with the account end. Each step is a small transaction and may be repeated. False when `until` came first; the
 * next call continues.
 */
export async function finishClosing(core: Core, actor: Actor, user: ObjectId, until: Date): Promise<boolean> {
  const { Image, Share, Notification, User } = core.models;
  const steps = [
    async () => {
      const images = await Image.find({ owner: user }, { patient: 1 }).limit(BATCH).lean<ImageDoc[]>();
      return images.map(
        ({ _id, patient }) =>
          () =>
            patient ? giveImage(core, actor, _id, user) : removeImage(core, actor, _id, 'The account was closed.'),
      );
    },
    async () => {
      const shares = await Share.find({ recipient: user, live: true }, { image: 1 }).limit(BATCH).lean();
      return shares.map(
        ({ image }) =>
          () =>
            endReceived(core, actor, image, user),
      );
    },
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
    await endShares(core, tx, { image: id, recipient: to }, 'share.revoke');
    await refreshAudience(models, id, clock.now(), tx.session);
    tx.record({
      type: 'image.transfer',
      record: id,
      owners: [from, to],
      recipients: [...image.audience, to],
      reason: 'The account was closed.',
    });
    given = { to, bytes: image.size };
    return id;
  });
  const passed = given as { to: ObjectId; bytes: number } | null;
  if (passed) await usage.passOn(from, passed.to, passed.bytes);
}

async function endReceived(core: Core, actor: Actor, image: ObjectId, user: ObjectId): Promise<void> {
  await core.events.change(actor, async (tx) => {
    await endShares(core, tx, { image, recipient: user }, 'share.revoke');
    return image;
  });
}

import { refreshAudience } from '@lightbox/core/access/images.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { ImageDoc, UserDoc } from '@lightbox/core/models/types.js';
import { endShares } from '@lightbox/core/sharing/endShares.js';
import { sealProfile, unsetClear } from '@lightbox/core/users/profile.js';
import type { ClientSession } from 'mongoose';
import { dropAuthenticators } from '../auth/authenticators.js';
import { endAccess } from '../auth/endAccess.js';
import { cutSockets } from '../auth/sessions.js';
import type { Gateway } from '../context.js';
import { removeImage } from '../images/removeImage.js';
import { keepAnAdmin } from './changeUsers.js';

/**
 * Ends the sessions and clears the profile. Messages stay, their sender is then 'Deleted user'; images that name a
 * patient go to an admin, the others go with the account. Image by image, so that no transaction grows without bound;
 * what was cut short is finished by doing it again.
 */
export async function closeAccount(
  gateway: Gateway,
  actor: Actor,
  user: UserDoc,
  type: 'user.delete' | 'profile.delete',
): Promise<void> {
  let sessions: ObjectId[] = [];
  // First the door: from here on nothing new can come from this account.
  await gateway.events.change(actor, async (tx) => {
    await keepAnAdmin(gateway, user, tx.session);
    await gateway.models.User.updateOne({ _id: user._id }, { $set: { active: false } }, { session: tx.session });
    sessions = await endAccess(gateway, user._id, 'deleted', tx.session);
    return user._id;
  });
  cutSockets(gateway, sessions, 'deleted');

  await passOnImages(gateway, actor, user);
  await endReceivedShares(gateway, actor, user);
  await gateway.events.change(actor, async (tx) => {
    await clearProfile(gateway, user, tx.session);
    tx.record({ type, table: 'users', record: user._id });
    return user._id;
  });
}

async function passOnImages(gateway: Gateway, actor: Actor, user: UserDoc): Promise<void> {
  const heir = await gateway.models.User.findOne(
    { role: 'admin', status: 'active', active: true, _id: { $ne: user._id } },
    { _id: 1 },
  )
    .sort({ createAt: 1 })
    .lean();
  for await (const image of gateway.models.Image.find({ owner: user._id }).lean<ImageDoc[]>().cursor()) {
    if (!image.patient) await removeImage(gateway, actor, image, 'The account was closed.');
    else if (heir) await giveImage(gateway, image, heir._id);
    else throw new AppError('LAST_ADMIN');
  }
}

/** The lists of shared images name the owner too, so they change with it. */
async function giveImage(gateway: Gateway, image: ImageDoc, heir: ObjectId): Promise<void> {
  await gateway.db.transaction(async (session) => {
    await gateway.models.Image.updateOne({ _id: image._id }, { $set: { owner: heir } }, { session });
    await refreshAudience(gateway.models, image._id, gateway.clock.now(), session);
  });
  await gateway.usage.passOn(image.owner, heir, image.size);
}

async function endReceivedShares(gateway: Gateway, actor: Actor, user: UserDoc): Promise<void> {
  const shares = await gateway.models.Share.find({ recipient: user._id, live: true }, { image: 1 }).lean();
  for (const { image } of shares) {
    await gateway.events.change(actor, async (tx) => {
      await endShares(gateway, tx, { image, recipient: user._id }, 'share.revoke');
      return image;
    });
  }
}

async function clearProfile(gateway: Gateway, user: UserDoc, tx: ClientSession): Promise<void> {
  const gone = `deleted-${user._id}`;
  await dropAuthenticators(gateway, user._id, tx);
  await gateway.models.Notification.deleteMany({ user: user._id }, { session: tx });
  await gateway.models.Code.deleteMany({ user: user._id }, { session: tx });
  await gateway.models.User.updateOne(
    { _id: user._id },
    {
      $set: {
        email: `${gone}@invalid`,
        username: gone,
        usernameKey: gone,
        passwordHash: '',
        words: [],
        sortKey: '',
        status: 'rejected',
        active: false,
        deletedAt: gateway.clock.now(),
        profile: sealProfile(gateway.keys, user._id, {}),
      },
      $unset: { firstname: 1, lastname: 1, rejectedReason: 1, ...unsetClear },
    },
    { session: tx, strict: false },
  );
}

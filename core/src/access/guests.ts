import type { ImageFacts, ImageViewer } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { GuestLinkDoc } from '../models/guestLink.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { UserDoc } from '../models/user.js';
import { covers } from './shares.js';

/** Links that have not ended, as a filter: the screens that they opened show their image. */
export const liveLink = (now: Date) => ({ live: true, expiresAt: { $gt: now } });
/** The state `open` as a filter: links that take a code. */
export const openLink = (now: Date) => ({
  ...liveLink(now),
  tries: { $lt: limits.codeTries },
  opensLeft: { $gt: 0 },
});
/** Expired links that maintenance has not ended yet. */
export const overdueLink = (now: Date) => ({ live: true, expiresAt: { $lte: now } });

/** Returns the link while it has not ended, and while its maker may share. */
export async function findLiveLink(models: Models, id: ObjectId, now: Date): Promise<GuestLinkDoc | null> {
  const link = await models.GuestLink.findOne({ _id: id, ...liveLink(now) })
    .readConcern(NEWEST)
    .lean<GuestLinkDoc>();
  if (!link) return null;
  // The links of an account that is closed end one by one, a little later.
  const facts = { role: 1, status: 1, active: 1, deletedAt: 1 };
  const maker = await models.User.findById(link.madeBy, facts).readConcern(NEWEST).lean<UserDoc>();
  return isUsable(maker) && roleMay(maker.role, 'share.create') ? link : null;
}

/** Returns a guest's own link while it has not ended; null for everybody else. */
export const linkOf = async (models: Models, { id, role }: ImageViewer, now: Date): Promise<GuestLinkDoc | null> =>
  role === 'guest' ? findLiveLink(models, oid(id), now) : null;

/** The fact about a guest, for the policy of an image. */
export const guestFact = (
  link: GuestLinkDoc | null,
  image: Pick<ImageDoc, '_id' | 'study'>,
): Pick<ImageFacts, 'guestLink'> => (link && covers(link, image) ? { guestLink: { download: link.download } } : {});

/** The same for a study: the link of one of its images does not open it. */
export const guestFactOfStudy = (link: GuestLinkDoc | null, study: ObjectId): Pick<ImageFacts, 'guestLink'> =>
  link?.study?.equals(study) ? { guestLink: { download: link.download } } : {};

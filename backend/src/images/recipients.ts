import type { Recipients } from '@lightbox/contract/images/schemas.js';
import { type ShareState, shareState } from '@lightbox/contract/sharing/states.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { liveLink } from '@lightbox/core/access/guests.js';
import { covering, covers, liveShare, strongest } from '@lightbox/core/access/shares.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';

/** Reads the live shares of images with one query. The images must be those that the viewer may share. */
export const sharesOfAll = async (models: Models, images: ImageDoc[], now: Date): Promise<ShareDoc[]> => {
  const shared = images.filter(({ isShared }) => isShared);
  if (shared.length === 0) return [];
  return models.Share.find(
    { ...covering(shared), ...liveShare(now) },
    { image: 1, study: 1, recipient: 1, createAt: 1, expiresAt: 1, tries: 1, verifiedAt: 1, live: 1 },
  ).lean<ShareDoc[]>();
};

/** Reads the guest links of images that have not ended, with one query. The images must be those that the viewer may share. */
export const guestLinksOfAll = async (models: Models, images: ImageDoc[], now: Date): Promise<GuestLinkDoc[]> => {
  if (images.length === 0) return [];
  return models.GuestLink.find({ ...covering(images), ...liveLink(now) }, { image: 1, study: 1 }).lean<
    GuestLinkDoc[]
  >();
};

/** Returns for each person the share of the image that gives the most. */
export function sharePerPerson(shares: readonly ShareDoc[], image: ImageDoc): ShareDoc[] {
  const covered = shares.filter((share) => covers(share, image));
  const people = new Set(covered.map(({ recipient }) => String(recipient)));
  return [...people].flatMap((id) => strongest(covered.filter(({ recipient }) => String(recipient) === id)) ?? []);
}

/** Presents the recipients of an image: how many there are in each state, and the only one by name. */
export function presentRecipients(
  shares: ShareDoc[],
  guestLinks: number,
  name: (id: ObjectId) => UserRef,
  now: Date,
): Recipients {
  const states = shares.map((share) => shareState(share, now));
  const count = (wanted: ShareState) => states.filter((state) => state === wanted).length;
  const [only, ...others] = shares;
  const [state] = states;
  return {
    total: shares.length,
    opened: count('verified'),
    locked: count('locked'),
    pending: count('pending'),
    ...(guestLinks > 0 ? { guestLinks } : {}),
    ...(only && others.length === 0 && (state === 'verified' || state === 'locked' || state === 'pending')
      ? {
          one: {
            person: name(only.recipient),
            state,
            at: (only.verifiedAt ?? only.createAt).toISOString(),
            expiresAt: only.expiresAt?.toISOString() ?? null,
          },
        }
      : {}),
  };
}

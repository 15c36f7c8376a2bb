import type { ShareAccess, ShareCreated } from '@lightbox/contract/sharing/calls.js';
import { shareState } from '@lightbox/contract/sharing/states.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import type { ShareTarget } from '@lightbox/core/access/shares.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { openNote } from '@lightbox/core/sharing/notes.js';
import type { Gateway } from '../context.js';
import { presentRef } from '../users/present.js';

/** The ids of a share's target, in answers and socket events. */
export const namesOfTarget = ({ image, study }: ShareTarget) => ({
  imagemetadataId: String(image),
  ...(study ? { studyId: String(study) } : {}),
});

type Opening = Pick<Gateway, 'keys' | 'log'>;

/** A damaged note is logged and left out, and everything else is shown. */
export function presentNote({ keys, log }: Opening, { _id, note }: Pick<ShareDoc | InviteDoc, '_id' | 'note'>) {
  const opened = note && unlessDamaged(log, () => openNote(keys, _id, note));
  return opened ? { note: opened } : {};
}

/** Presents the viewer's own share, as part of its image or study. */
export const presentMine = (gateway: Opening, share: ShareDoc, name: (id: ObjectId) => UserRef) => ({
  sharedBy: name(share.sharedBy),
  shareId: String(share._id),
  ...(share.expiresAt ? { expiresAt: share.expiresAt.toISOString() } : {}),
  ...presentNote(gateway, share),
});

export const presentCreated = (share: ShareDoc): ShareCreated => ({
  id: String(share._id),
  ...namesOfTarget(share),
  createdfor: String(share.recipient),
  expiresAt: share.expiresAt?.toISOString() ?? null,
});

export const presentAccess = (gateway: Opening, share: ShareDoc, user: UserDoc, now: Date): ShareAccess => ({
  id: String(share._id),
  ...namesOfTarget(share),
  recipient: {
    ...presentRef(user, String(user._id)),
    role: user.role,
  },
  createAt: share.createAt.toISOString(),
  expiresAt: share.expiresAt?.toISOString() ?? null,
  isVerified: Boolean(share.verifiedAt),
  locked: shareState(share, now) === 'locked',
  ...presentNote(gateway, share),
  download: share.download !== false,
  ...(share.deidentified ? { deidentified: true as const } : {}),
});

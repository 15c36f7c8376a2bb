import type { ShareAccess } from '@lightbox/contract/sharing/calls.js';
import { shareState } from '@lightbox/contract/sharing/states.js';
import type { ShareTarget } from '@lightbox/core/access/shares.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';

/** The ids of a share's target, in answers and socket events. */
export const namesOfTarget = ({ image, study }: ShareTarget) => ({
  imagemetadataId: String(image),
  ...(study ? { studyId: String(study) } : {}),
});

export const presentAccess = (share: ShareDoc, user: UserDoc, now: Date): ShareAccess => ({
  id: String(share._id),
  ...namesOfTarget(share),
  recipient: {
    id: String(user._id),
    firstname: user.firstname ?? '',
    lastname: user.lastname ?? '',
    role: user.role,
  },
  createAt: share.createAt.toISOString(),
  expiresAt: share.expiresAt?.toISOString() ?? null,
  isVerified: Boolean(share.verifiedAt),
  locked: shareState(share, now) === 'locked',
});

import type { Role } from '../permissions.js';

/** The people of one share. */
export interface ShareParties {
  recipientId: string;
  sharedById: string;
  /** Absent once the image was deleted. */
  ownerId: string | undefined;
}

export const shareRules = {
  /**
   * True for viewers who are notified when a share begins, changes or ends: its recipient, the owner, and administrators.
   * Others do not share. So a person who made it as an administrator follows it while they are one; once the image is gone,
   * the person who made it stands for its owner.
   */
  follow: (viewer: { id: string; role: Role }, { recipientId, sharedById, ownerId }: ShareParties): boolean =>
    viewer.role === 'admin' || [recipientId, ownerId ?? sharedById].includes(viewer.id),
  /** True for the recipient, who may ask for a new code. The code goes to the recipient’s own address. */
  askAgain: (viewer: { id: string }, { recipientId }: Pick<ShareParties, 'recipientId'>): boolean =>
    viewer.id === recipientId,
};

import type { Role } from '../permissions.js';

/** The people of one share. */
export interface ShareParties {
  recipientId: string;
  sharedById: string;
  /** Absent once its image was deleted. */
  ownerId: string | undefined;
}

export const shareRules = {
  /** Who is told that a share began, changed or ended: its people, and administrators. */
  follow: (viewer: { id: string; role: Role }, { recipientId, sharedById, ownerId }: ShareParties): boolean =>
    viewer.role === 'admin' || [recipientId, sharedById, ownerId].includes(viewer.id),
};

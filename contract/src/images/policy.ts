import type { Role } from '../permissions.js';

export interface ImageViewer {
  id: string;
  role: Role;
}
/** What the rules need to know of one image and this viewer's own share of it. */
export interface ImageFacts {
  ownerId: string;
  patientId: string | null;
  /** The viewer's share, if it lives: not revoked, not expired. */
  share: { verified: boolean } | null;
}

const isAdmin = (v: ImageViewer) => v.role === 'admin';
const owns = (v: ImageViewer, i: ImageFacts) => v.id === i.ownerId;
const hasLiveShare = (_: ImageViewer, i: ImageFacts) => i.share !== null;
const hasVerifiedShare = (_: ImageViewer, i: ImageFacts) => i.share?.verified === true;

/** Who may do what to one image. Nothing else decides it. */
export const imageRules = {
  see: (v, i) => isAdmin(v) || owns(v, i) || hasLiveShare(v, i),
  open: (v, i) => isAdmin(v) || owns(v, i) || hasVerifiedShare(v, i),
  share: (v, i) => isAdmin(v) || (v.role === 'healthProvider' && owns(v, i)),
  delete: (v, i) => isAdmin(v) || (v.role === 'healthProvider' && owns(v, i)),
  analyse: (v, i) => isAdmin(v) || (v.role === 'healthProvider' && (owns(v, i) || hasVerifiedShare(v, i))),
} satisfies Record<string, (v: ImageViewer, i: ImageFacts) => boolean>;
export type ImageRule = keyof typeof imageRules;

/** Deleting takes a reason when it takes the image from a patient and no admin decided it. */
export const deletionNeedsReason = (v: ImageViewer, i: ImageFacts): boolean => !isAdmin(v) && i.patientId !== null;

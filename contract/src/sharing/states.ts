import { limits } from '../limits.js';

/** The life of a share. */
export const shareStates = [
  /** Its code is still to be entered. */
  'pending',
  /** The code was entered wrongly too often; a new one has to be sent. */
  'locked',
  'verified',
  'expired',
  /** Ended before its time: by hand, with its image, or with an account. */
  'revoked',
] as const;
export type ShareState = (typeof shareStates)[number];

/** A share in one of these is its recipient's to see. Only a verified one opens the image. */
export const liveShareStates = ['pending', 'locked', 'verified'] as const satisfies readonly ShareState[];

/** How a share changes its state. Sending a new code to a verified share changes nothing. */
export const shareMoves = {
  verify: { from: ['pending'], to: 'verified' },
  lock: { from: ['pending'], to: 'locked' },
  resend: { from: ['pending', 'locked'], to: 'pending' },
  revoke: { from: liveShareStates, to: 'revoked' },
  expire: { from: liveShareStates, to: 'expired' },
} as const satisfies Record<string, { from: readonly ShareState[]; to: ShareState }>;

export interface ShareFacts {
  /** False once it was ended. One that has run out stays true until maintenance has seen it. */
  live: boolean;
  tries: number;
  /** Absent for a share without an end. */
  expiresAt?: Date;
  verifiedAt?: Date;
  endedAt?: Date;
}

export function shareState({ live, tries, expiresAt, verifiedAt, endedAt }: ShareFacts, now: Date): ShareState {
  if (expiresAt && expiresAt <= (endedAt ?? now)) return 'expired';
  if (!live) return 'revoked';
  if (verifiedAt) return 'verified';
  return tries >= limits.codeTries ? 'locked' : 'pending';
}

export const isLiveShare = (share: ShareFacts, now: Date): boolean =>
  (liveShareStates as readonly ShareState[]).includes(shareState(share, now));

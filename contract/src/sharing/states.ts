import { limits } from '../limits.js';

/** The states of a share. */
export const shareStates = [
  /** The code is not entered yet. */
  'pending',
  /** The code was entered wrongly too often; a new one must be sent. */
  'locked',
  'verified',
  'expired',
  /** Ended early: by a person, with its image, or with an account. */
  'revoked',
] as const;
export type ShareState = (typeof shareStates)[number];

/** A share in one of these states is visible to its recipient. Only a verified share opens the image. */
export const liveShareStates = ['pending', 'locked', 'verified'] as const satisfies readonly ShareState[];

/** The moves between the states of a share. A new code for a verified share changes nothing. */
export const shareMoves = {
  verify: { from: ['pending'], to: 'verified' },
  lock: { from: ['pending'], to: 'locked' },
  resend: { from: ['pending', 'locked'], to: 'pending' },
  revoke: { from: liveShareStates, to: 'revoked' },
  expire: { from: liveShareStates, to: 'expired' },
} as const satisfies Record<string, { from: readonly ShareState[]; to: ShareState }>;

export interface ShareFacts {
  /** False once the share was ended. An expired share stays `live` until maintenance ends it. */
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

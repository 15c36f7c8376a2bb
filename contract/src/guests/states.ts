import { limits } from '../limits.js';

/** The states of a guest link. Only an open link takes a code, and only a link that has not ended shows its image. */
export const guestLinkStates = [
  'open',
  /** The code was entered wrongly five times in a row. */
  'locked',
  /** It was opened as often as its maker allowed. Screens that are open stay open until the link ends. */
  'usedUp',
  /** Its time is over. The end comes at once when the account of its maker is deactivated or gets another role. */
  'expired',
  /** Ended early: by a person, with its image, or with an account that is closed. */
  'revoked',
] as const;
export type GuestLinkState = (typeof guestLinkStates)[number];

export interface GuestLinkFacts {
  /** False once the link was ended. An expired link stays `live` until maintenance ends it. */
  live: boolean;
  tries: number;
  opensLeft: number;
  expiresAt: Date;
  endedAt?: Date;
}

export function guestLinkState(
  { live, tries, opensLeft, expiresAt, endedAt }: GuestLinkFacts,
  now: Date,
): GuestLinkState {
  if (expiresAt <= (endedAt ?? now)) return 'expired';
  if (!live) return 'revoked';
  if (tries >= limits.codeTries) return 'locked';
  return opensLeft > 0 ? 'open' : 'usedUp';
}

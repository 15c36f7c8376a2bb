/** The states of the review of an emergency access. */
export const emergencyReviewStates = [
  /** No administrator has decided yet. */
  'open',
  /** An administrator asked the provider about it. */
  'questioned',
  /** The provider has answered, which they can do once. */
  'answered',
  'approved',
] as const;
export type EmergencyReviewState = (typeof emergencyReviewStates)[number];

/** The moves between the states of the review. The hour of access does not depend on them. */
export const emergencyReviewMoves = {
  question: { from: ['open'], to: 'questioned' },
  answer: { from: ['questioned'], to: 'answered' },
  approve: { from: ['open', 'questioned', 'answered'], to: 'approved' },
} as const satisfies Record<string, { from: readonly EmergencyReviewState[]; to: EmergencyReviewState }>;
export type EmergencyReviewMove = keyof typeof emergencyReviewMoves;

export const canMove = (move: EmergencyReviewMove, state: EmergencyReviewState): boolean =>
  (emergencyReviewMoves[move].from as readonly EmergencyReviewState[]).includes(state);

/** The causes for which the product itself ends an access: the hour, the setting, or the account of one of the two. */
export const emergencyEndings = ['expired', 'off', 'account'] as const;
export type EmergencyEnding = (typeof emergencyEndings)[number];

export interface EmergencyFacts {
  /** False once the access was ended. An access whose hour is over stays `live` until maintenance ends it. */
  live: boolean;
  until: Date;
}

/** True while the provider may see the patient's images. */
export const isLiveEmergency = ({ live, until }: EmergencyFacts, now: Date): boolean => live && until > now;

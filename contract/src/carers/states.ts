/** The states of a carer: named and not yet answered, accepted, or over. */
export const carerStates = ['waiting', 'accepted', 'ended'] as const;
export type CarerState = (typeof carerStates)[number];

/** The moves between the states. */
export const carerMoves = {
  accept: { from: ['waiting'], to: 'accepted' },
  end: { from: ['waiting', 'accepted'], to: 'ended' },
} as const satisfies Record<string, { from: readonly CarerState[]; to: CarerState }>;

/**
 * The causes of an end, beside a person of the two who ends it: the named person declined, nobody answered in time, the
 * setting, or the account of one of the two.
 */
export const carerEndings = ['declined', 'expired', 'off', 'account'] as const;
export type CarerEnding = (typeof carerEndings)[number];

/** The reason in the log of a look by a carer. */
export const carerLook = 'carer';

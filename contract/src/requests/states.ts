/** The states of a request for images. Only a waiting request takes files. */
export const requestStates = [
  'waiting',
  /** The sender has sent everything. The files are held until the person who asked takes or declines them. */
  'received',
  /** The files are images of the person who asked. */
  'taken',
  /** The files were removed. */
  'declined',
  /** Nobody sent anything in time, or nobody looked at the files in time. Nothing is kept. */
  'ended',
  /** The person who asked withdrew it, or lost the account. */
  'revoked',
] as const;
export type RequestState = (typeof requestStates)[number];

/** The moves between the states, and the only ones. */
export const requestMoves = {
  receive: { from: ['waiting'], to: 'received' },
  take: { from: ['received'], to: 'taken' },
  decline: { from: ['received'], to: 'declined' },
  revoke: { from: ['waiting'], to: 'revoked' },
  /** By time: a waiting request at its end, a received one after `limits.heldDays`. */
  expire: { from: ['waiting', 'received'], to: 'ended' },
  /** With the account of the person who asked. */
  close: { from: ['waiting', 'received'], to: 'revoked' },
} as const satisfies Record<string, { from: readonly RequestState[]; to: RequestState }>;
export type RequestMove = keyof typeof requestMoves;

export interface RequestFacts {
  state: RequestState;
  expiresAt: Date;
}

/** Returns the state now. A waiting request ends with its time, also before maintenance has ended it. */
export const requestState = ({ state, expiresAt }: RequestFacts, now: Date): RequestState =>
  state === 'waiting' && expiresAt <= now ? 'ended' : state;

/** The status of an account, from its registration to its approval. */
export const accountStatuses = ['unverified', 'pending', 'active', 'rejected'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/**
 * The moves between the statuses of an account. The administrators' switch (`active`) is separate, and may be set at
 * any time.
 */
export const accountMoves = {
  /** A patient proves their address: with the first sign-in code, or with a reset code. */
  confirm: { from: ['unverified'], to: 'active' },
  approve: { from: ['pending', 'rejected'], to: 'active' },
  /** Takes back an approval, for a short time after it. */
  reconsider: { from: ['active'], to: 'pending' },
  reject: { from: ['pending'], to: 'rejected' },
} as const satisfies Record<string, { from: readonly AccountStatus[]; to: AccountStatus }>;

/** The states of an account: its status until it is active, then the switch, and at the end `closed`. */
export const accountStates = ['unverified', 'pending', 'rejected', 'inactive', 'active', 'closed'] as const;
export type AccountState = (typeof accountStates)[number];

export interface AccountFacts {
  status: AccountStatus;
  /** The administrators' switch. */
  active: boolean;
  deletedAt?: Date;
}

export function accountState({ status, active, deletedAt }: AccountFacts): AccountState {
  if (deletedAt) return 'closed';
  if (status !== 'active') return status;
  return active ? 'active' : 'inactive';
}

/** True for an active account. In any other state nobody can sign in, and no session continues. */
export const isUsable = <A extends AccountFacts>(account: A | null): account is A =>
  account !== null && accountState(account) === 'active';

/** Where an account stands between its registration and its approval. */
export const accountStatuses = ['unverified', 'pending', 'active', 'rejected'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** How an account changes its status. The administrators' switch (`active`) is set apart from it, at any time. */
export const accountMoves = {
  /** A patient proves the address: with the first sign-in code, or with a reset code. */
  confirm: { from: ['unverified'], to: 'active' },
  approve: { from: ['pending', 'rejected'], to: 'active' },
  reject: { from: ['pending'], to: 'rejected' },
} as const satisfies Record<string, { from: readonly AccountStatus[]; to: AccountStatus }>;

/** The life of an account: its status until it is active, then the switch, and in the end `closed`. */
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

/** Nobody signs in to an account in another state, and no session of it goes on. */
export const isUsable = <A extends AccountFacts>(account: A | null): account is A =>
  account !== null && accountState(account) === 'active';

import type { ErrorCode } from '@lightbox/contract/errors.js';
import type { UserDoc } from '@lightbox/core/models/user.js';

/** Returns the reason why an account may not sign in; null when it may. */
export function accountRefusal(user: UserDoc): ErrorCode | null {
  if (user.status === 'pending') return 'ACCOUNT_PENDING';
  if (user.status === 'rejected') return 'ACCOUNT_REJECTED';
  return user.active ? null : 'ACCOUNT_INACTIVE';
}

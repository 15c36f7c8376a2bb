import { userView } from '@lightbox/contract/users/policy.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { useAtomValue } from 'jotai';
import { userAtom } from '../auth/session';

/**
 * Returns the view of an account that the signed-in person has, by the rule of the contract. Care relationships are
 * left out: only the server knows them.
 */
export function useViewOf(user: User) {
  const me = useAtomValue(userAtom);
  if (!me) return 'basic';
  return userView(
    { id: me.id, role: me.role.name },
    { id: user.id, role: user.role.name, status: user.status ?? 'active', active: user.active },
    false,
  );
}

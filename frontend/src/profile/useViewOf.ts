import { userView } from '@lightbox/contract/users/policy.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { useAtomValue } from 'jotai';
import { userAtom } from '../auth/session';

/** How much of this account the signed-in person sees, by the contract's own rule; ties are the server's to know. */
export function useViewOf(user: User) {
  const me = useAtomValue(userAtom);
  if (!me) return 'basic';
  return userView(
    { id: me.id, role: me.role.name },
    { id: user.id, role: user.role.name, status: user.status ?? 'active', active: user.active },
    false,
  );
}

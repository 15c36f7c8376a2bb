import type { Role } from '@lightbox/contract/permissions.js';
import { needsTie } from '@lightbox/contract/users/policy.js';
import { useAtomValue } from 'jotai';
import { roleAtom } from '../auth/session';

/**
 * Returns true when a chat is refused because the two have no care relationship yet. They need one while the setting
 * `directory.patients` is `known`. An administrator creates the first one.
 */
export function useUntied(person: { role?: Role | undefined } | undefined, refused: boolean): boolean {
  const mine = useAtomValue(roleAtom);
  return Boolean(refused && mine && person?.role && needsTie({ role: person.role }, { role: mine }));
}

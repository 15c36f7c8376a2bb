import { Button } from '@chakra-ui/react';
import type { Role } from '@lightbox/contract/permissions.js';
import { needsTie } from '@lightbox/contract/users/policy.js';
import { ChatCircleSlashIcon, UserGearIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { roleAtom } from '../auth/session';
import { fullName, type Named } from '../lib/format';
import { EmptyState } from '../ui/EmptyState';
import { Said } from '../ui/Said';

/**
 * Returns true when a chat is refused because the two have no care relationship yet. They need one while the setting
 * `directory.patients` is `known`. An administrator creates the first one.
 */
export function useUntied(person: { role?: Role | undefined } | undefined, refused: boolean): boolean {
  const mine = useAtomValue(roleAtom);
  return Boolean(refused && mine && person?.role && needsTie({ role: person.role }, { role: mine }));
}

/** Says why the viewer cannot write to this person yet, and who can change that. */
export function Untied({ person, onAdmins }: { person: Named; onAdmins: () => void }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      as="h2"
      Icon={ChatCircleSlashIcon}
      title={t('messages.untied.title')}
      text={<Said i18nKey="messages.untied.text" values={{ name: fullName(person) }} />}
      act={
        <Button variant="subtle" onClick={onAdmins}>
          <UserGearIcon />
          {t('messages.untied.act')}
        </Button>
      }
    />
  );
}

import { Button } from '@chakra-ui/react';
import { ChatCircleSlashIcon, UserGearIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { fullName, type Named } from '../lib/format';
import { EmptyState } from '../ui/EmptyState';
import { Said } from '../ui/Said';

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

import { Button } from '@chakra-ui/react';
import { UserSwitchIcon } from '@phosphor-icons/react';
import { useSetAtom } from 'jotai';
import { useTranslation } from 'react-i18next';
import { store } from '../lib/store';
import { Note } from '../ui/Note';
import { askedGroupAtom } from './tray';

/** Says that files name another patient, and leads to the question what to do with them. */
export function MismatchNote({ groupId }: { groupId: string }) {
  const { t } = useTranslation();
  const ask = useSetAtom(askedGroupAtom, { store });
  return (
    <Note Icon={UserSwitchIcon} tone="warning" title={t('uploads.mismatch.title')}>
      <Button size="sm" mt="2" variant="outline" bg="bg.surface" onClick={() => ask(groupId)}>
        {t('uploads.tray.decide')}
      </Button>
    </Note>
  );
}

import { Button, Flex } from '@chakra-ui/react';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Note } from './Note';

/** Says which data could not be loaded, with a button to try again. */
export function LoadFailed({ text, onRetry }: { text: string; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <Flex direction="column" gap="3" p="5" align="flex-start">
      <Note Icon={WarningCircleIcon} tone="danger" role="alert" title={t('common.couldNotLoad')}>
        {text}
      </Note>
      <Button variant="outline" onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </Flex>
  );
}

import { Box, Button, Stack } from '@chakra-ui/react';
import { WarningIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { CopyText } from '../ui/CopyText';
import { Note } from '../ui/Note';

/** Shows a secret that was made. The server never shows it again. */
export function SecretOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  const { t } = useTranslation();
  return (
    <Stack gap="4">
      <Note Icon={WarningIcon} tone="warning" role="status" title={t('webhooks.saveTitle')}>
        {t('webhooks.saveText')}
      </Note>
      <Box p="4" borderRadius="box" bg="bg.subtle">
        <CopyText label={t('webhooks.secret')} act={t('webhooks.copy')} text={secret} />
      </Box>
      <Button onClick={onDone}>{t('webhooks.saved')}</Button>
    </Stack>
  );
}

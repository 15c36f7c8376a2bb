import { Box, Button, Flex, Grid } from '@chakra-ui/react';
import { CopyIcon, WarningIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../lib/copy';
import { toast } from '../lib/toaster';
import { Note } from '../ui/Note';

/** Shows the ten recovery codes. The server never shows them again. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const { t } = useTranslation();
  const copy = async () => {
    const done = await copyText(codes.join('\n'));
    if (done) toast.success(t('security.recovery.copied'));
    else toast.error(t('security.recovery.notCopied'));
  };
  return (
    <Flex direction="column" gap="4">
      <Note Icon={WarningIcon} tone="warning" role="status" title={t('security.recovery.title')}>
        {t('security.recovery.text')}
      </Note>
      <Grid
        as="ul"
        aria-label={t('security.recovery.list')}
        listStyleType="none"
        templateColumns="1fr 1fr"
        gap="2"
        p="4"
        borderRadius="box"
        bg="bg.subtle"
        fontFamily="mono"
        textAlign="center"
        dir="ltr"
      >
        {codes.map((code) => (
          <Box as="li" key={code}>
            {code}
          </Box>
        ))}
      </Grid>
      <Flex gap="2.5" wrap="wrap">
        <Button variant="outline" flex="1" onClick={() => void copy()}>
          <CopyIcon aria-hidden />
          {t('security.recovery.copy')}
        </Button>
        <Button flex="1" onClick={onDone}>
          {t('security.recovery.done')}
        </Button>
      </Flex>
    </Flex>
  );
}

import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PasswordField } from '../ui/PasswordField';
import type { LockedZip } from './readFiles';

interface Props {
  locked: LockedZip;
  /** Returns false for a wrong password. */
  onUnlock: (password: string) => Promise<boolean>;
  onSkip: () => void;
}

/** Asks for the password of an encrypted zip. It is used in this browser only. */
export function UnlockZip({ locked: { name }, onUnlock, onSkip }: Props) {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const [wrong, setWrong] = useState(false);
  const [busy, setBusy] = useState(false);
  const open = async () => {
    if (busy || !password) return;
    setBusy(true);
    const right = await onUnlock(password);
    setWrong(!right);
    setBusy(false);
  };
  return (
    <Box as="section" layerStyle="card" p={{ base: '4', lg: '5' }}>
      <Text as="h2" fontWeight="semibold" overflowWrap="anywhere">
        {t('uploads.zip.locked', { name })}
      </Text>
      <Text fontSize="sm" color="fg.muted" mb="3">
        {t('uploads.zip.lockedText')}
      </Text>
      <PasswordField
        label={t('uploads.zip.password')}
        autoComplete="off"
        value={password}
        error={wrong ? t('uploads.zip.wrong') : undefined}
        onChange={(event) => {
          setPassword(event.target.value);
          setWrong(false);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          void open();
        }}
      />
      <Flex gap="3" mt="3" wrap="wrap">
        <Button variant="outline" onClick={onSkip}>
          {t('uploads.zip.skip')}
        </Button>
        <Button onClick={() => void open()} loading={busy} disabled={!password}>
          {t('uploads.zip.open')}
        </Button>
      </Flex>
    </Box>
  );
}

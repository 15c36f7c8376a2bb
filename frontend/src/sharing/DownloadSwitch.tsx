import { Box, Checkbox, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';

interface Props {
  allowed: boolean;
  onChange: (allowed: boolean) => void;
  disabled?: boolean;
}

/** Asks if the recipients may download the original. */
export function DownloadSwitch({ allowed, onChange, disabled = false }: Props) {
  const { t } = useTranslation();
  return (
    <Box>
      <Checkbox.Root
        checked={allowed}
        disabled={disabled}
        onCheckedChange={(change) => onChange(change.checked === true)}
        minH="touch"
      >
        <Checkbox.HiddenInput />
        <Checkbox.Control />
        <Checkbox.Label>{t('sharing.share.download')}</Checkbox.Label>
      </Checkbox.Root>
      {!allowed && (
        <Text fontSize="xs" color="fg.muted">
          {t('sharing.share.downloadOff')}
        </Text>
      )}
    </Box>
  );
}

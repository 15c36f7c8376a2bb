import { Box, Checkbox, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { HeldCheckboxInput } from '../ui/HeldInput';

interface Props {
  allowed: boolean;
  onChange: (allowed: boolean) => void;
  /** True when the recipients get a copy without identity in place of the original. */
  ofCopy?: boolean;
  disabled?: boolean;
}

/** Asks if the recipients may download the file. */
export function DownloadSwitch({ allowed, onChange, ofCopy = false, disabled = false }: Props) {
  const { t } = useTranslation();
  return (
    <Box>
      <Checkbox.Root
        checked={allowed}
        disabled={disabled}
        onCheckedChange={(change) => onChange(change.checked === true)}
        minH="touch"
      >
        <HeldCheckboxInput />
        <Checkbox.Control />
        <Checkbox.Label>{t(ofCopy ? 'sharing.share.downloadCopy' : 'sharing.share.download')}</Checkbox.Label>
      </Checkbox.Root>
      {!allowed && (
        <Text fontSize="xs" color="fg.muted">
          {t('sharing.share.downloadOff')}
        </Text>
      )}
    </Box>
  );
}

import { Box, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { Meter } from '../ui/Meter';

/** How many of the chosen files are read already. */
export function Reading({ done, total, text }: { done: number; total: number; text: string }) {
  const { t } = useTranslation();
  return (
    <Box>
      <Text fontSize="sm" mb="2" fontVariantNumeric="tabular-nums">
        {text}
      </Text>
      <Meter value={total ? done / total : 0} label={t('common.loading')} />
    </Box>
  );
}

import { Box, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';

/** The note of the person who shared. A card shows a few lines of it. */
export function ShareNote({ note, lines }: { note: string | undefined; lines?: number }) {
  const { t } = useTranslation();
  if (!note) return null;
  return (
    <Box borderInlineStartWidth="3px" borderColor="accent.solid" ps="2.5" py="0.5">
      <Text fontSize="xs" color="fg.muted">
        {t('sharing.note.title')}
      </Text>
      <Text fontSize="sm" dir="auto" whiteSpace="pre-wrap" overflowWrap="anywhere" {...(lines && { lineClamp: lines })}>
        {note}
      </Text>
    </Box>
  );
}

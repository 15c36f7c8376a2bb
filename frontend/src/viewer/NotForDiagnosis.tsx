import { Box, Flex } from '@chakra-ui/react';
import { WarningIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n';

/** The part of the window that the first pane has. */
const partOf = (panes: number, desktop: boolean) => {
  if (desktop) return { w: { 2: '50%', 3: '66.66%' }[panes] ?? '100%', h: '100%' };
  return { w: '100%', h: `${100 / Math.max(1, panes)}%` };
};

/** The notice that is always on the picture. */
export function NotForDiagnosis({ panes, desktop }: { panes: number; desktop: boolean }) {
  const { t } = useTranslation();
  return (
    <Box position="absolute" top="0" left="0" {...partOf(panes, desktop)} pointerEvents="none" zIndex="2">
      <Flex
        position="absolute"
        bottom="14px"
        left="50%"
        transform="translateX(-50%)"
        align="center"
        gap="2"
        px={{ base: '2.5', lg: '3.5' }}
        h={{ base: '28px', lg: '32px' }}
        borderRadius="full"
        borderWidth="1px"
        borderColor="viewer.warn/50"
        bg="viewer.bar/85"
        color="viewer.warn"
        fontSize={{ base: '12.5px', lg: '14px' }}
        fontWeight="600"
        whiteSpace="nowrap"
        dir={currentLanguage().dir}
      >
        <WarningIcon size={18} aria-hidden />
        {t('viewer.notForDiagnosis')}
      </Flex>
    </Box>
  );
}

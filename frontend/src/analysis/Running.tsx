import { Box, Flex, Heading, Spinner, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { formatPercent } from '../lib/format';
import { Meter } from '../ui/Meter';
import { Waiting } from '../ui/Skeletons';
import { GoesTo } from './target';

/** Shows the progress of a running analysis, and that the viewer may leave the page. */
export function Running({ status, progress }: { status: 'queued' | 'active'; progress: number }) {
  const { t } = useTranslation();
  return (
    <Box layerStyle="card" overflow="hidden">
      <Box px={{ base: '5', lg: '6' }} py="22px">
        <Flex align="center" gap="3" mb="1">
          <Spinner size="sm" color="accent.fg" aria-hidden />
          <Heading as="h2" textStyle="section" flex="1">
            {t(`analysis.${status}`)}
          </Heading>
          {status === 'active' && (
            <Text fontWeight="semibold" fontVariantNumeric="tabular-nums">
              {formatPercent(Math.round(progress) / 100)}
            </Text>
          )}
        </Flex>
        <Text color="fg.muted" fontSize="sm" mb="4">
          {t(`analysis.${status}Text`)}
        </Text>
        <Meter value={progress / 100} label={t('analysis.progress')} />
        <Text mt="4" fontSize="sm">
          {t('analysis.leave')}
        </Text>
        <GoesTo />
      </Box>
      {[0, 1, 2].map((section) => (
        <Box key={section} px={{ base: '5', lg: '6' }} py="22px" borderTopWidth="1px" borderColor="border">
          <Waiting h="17px" w="32%" />
          <Waiting h="12px" w="84%" mt="4" />
          <Waiting h="12px" w="62%" mt="2.5" />
        </Box>
      ))}
    </Box>
  );
}

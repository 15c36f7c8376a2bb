import { Box, Flex, Grid, Text } from '@chakra-ui/react';
import type { AnalysisResult, HeatMap } from '@lightbox/contract/analysis/schemas.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ImageLine } from '../images/ImageCard';
import { OpenInViewer } from '../images/ViewerLink';
import { formatDateTime, formatProbability } from '../lib/format';
import { ImageWell } from '../ui/ImageWell';
import { Meter } from '../ui/Meter';
import { Waiting } from '../ui/Skeletons';
import { sureness } from './analysis';
import { HeatLayer, HeatSwitch } from './HeatMap';

/**
 * Shows the analysed image with the way into the viewer, and over it the place that moved the classifier most, if it
 * says so.
 */
export function AboutImage({ image, heatMap }: { image: Image | undefined; heatMap?: HeatMap | undefined }) {
  const { t } = useTranslation();
  const [hot, setHot] = useState(false);
  const { width, height } = image ?? {};
  return (
    <Box layerStyle="card" p="9px" pb="3.5">
      <Box position="relative">
        {image ? <ImageWell image={image} /> : <Waiting aspectRatio="4 / 3" borderRadius="6px" />}
        {hot && heatMap && width && height && <HeatLayer map={heatMap} width={width} height={height} />}
      </Box>
      {heatMap && width && height && image?.image_url && (
        <HeatSwitch label={heatMap.label} on={hot} onChange={setHot} />
      )}
      <Box px="1.5" pt="3">
        {image ? (
          <>
            <Text fontWeight="semibold">
              <bdi>{image.caption || t('common.untitled')}</bdi>
            </Text>
            <Text fontSize="xs" color="fg.muted">
              <ImageLine image={image} />
            </Text>
            {image.image_url && <OpenInViewer image={image} size="sm" w="full" mt="3" />}
          </>
        ) : (
          <Waiting h="14px" w="60%" />
        )}
      </Box>
    </Box>
  );
}

/** Shows the confidence as a percentage and as a word. */
export function Confidence({ confidence }: { confidence: number | null }) {
  const { t } = useTranslation();
  return (
    <Box layerStyle="card" px="5" py="block">
      <Flex align="baseline" justify="space-between" wrap="wrap" columnGap="3">
        <Text as="h2" fontWeight="650">
          {t('analysis.confidence')}
        </Text>
        <Text fontSize="1.625rem" lineHeight="1.2" fontWeight="700" letterSpacing="-.02em">
          {confidence === null ? t('analysis.notAvailable') : formatProbability(confidence)}
        </Text>
      </Flex>
      {confidence === null ? (
        <Text fontSize="xs" color="fg.muted" mt="1.5">
          {t('analysis.noConfidence')}
        </Text>
      ) : (
        <>
          <Box my="2.5">
            <Meter value={confidence} />
          </Box>
          <Text fontSize="xs" color="fg.muted">
            <Box as="strong" fontWeight="semibold" color="fg">
              {t(`analysis.${sureness(confidence)}`)}
            </Box>{' '}
            {t('analysis.estimate')}
          </Text>
        </>
      )}
    </Box>
  );
}

/** Shows when the analysis was made, and by which model. */
export function MadeBy({ result }: { result: AnalysisResult }) {
  const { t } = useTranslation();
  const rows: [string, ReactNode][] = [
    [
      t('analysis.generatedAt'),
      <time key="at" dateTime={result.timestamp}>
        {formatDateTime(result.timestamp)}
      </time>,
    ],
    [t('analysis.provider'), result.provider],
    [
      t('analysis.model'),
      <Box key="model" as="span" fontFamily="mono" dir="ltr">
        {result.model}
      </Box>,
    ],
  ];
  return (
    <Grid
      as="dl"
      layerStyle="card"
      px="5"
      py="4"
      templateColumns="fit-content(45%) minmax(0, 1fr)"
      columnGap="4"
      rowGap="2.5"
      fontSize="sm"
    >
      {rows.map(([name, value]) => (
        <Box key={name} display="contents">
          <Text as="dt" color="fg.muted">
            {name}
          </Text>
          <Text as="dd" textAlign="end" fontWeight="medium" fontVariantNumeric="tabular-nums" overflowWrap="anywhere">
            {value}
          </Text>
        </Box>
      ))}
    </Grid>
  );
}

import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import type { AnalysisVersion } from '@lightbox/contract/analysis/schemas.js';
import { ProhibitIcon, SealCheckIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDateTime, fullName } from '../lib/format';
import { Badge } from '../ui/Badge';
import { Facts } from '../ui/Facts';
import { LoadFailed } from '../ui/LoadFailed';
import { Said } from '../ui/Said';
import { versionsOf } from './review';

function Version({ version: one }: { version: AnalysisVersion }) {
  const { t } = useTranslation();
  const { version, kind, at, by, provenance, withdrawn, comment, edited = [], current, of } = one;
  const { provider, model, modelVersion, inputSha256 } = provenance;
  const facts = [
    { label: t('analysis.provider'), value: provider },
    { label: t('analysis.model'), value: model, mono: true },
    ...(modelVersion ? [{ label: t('analysis.review.modelVersion'), value: modelVersion, mono: true }] : []),
    { label: t('analysis.review.input'), value: inputSha256, mono: true },
    { label: t('analysis.generatedAt'), value: formatDateTime(provenance.at) },
    { label: t('analysis.review.requestedBy'), value: fullName(provenance.by) },
  ];
  return (
    <Box as="li" py="3" borderTopWidth="1px" borderColor="border" _first={{ borderTopWidth: 0 }}>
      <Flex gap="2" align="center" wrap="wrap">
        <Text fontWeight="semibold">{t('analysis.review.version', { version })}</Text>
        {current && (
          <Badge Icon={SealCheckIcon} filled tone="success">
            {t('analysis.review.current')}
          </Badge>
        )}
        {withdrawn && (
          <Badge Icon={ProhibitIcon} tone="danger">
            {t('analysis.review.withdrawn')}
          </Badge>
        )}
      </Flex>
      <Text fontSize="sm">
        <Said i18nKey={`analysis.review.${kind}By`} values={{ name: fullName(by) }} /> ·{' '}
        <time dateTime={at}>{formatDateTime(at)}</time>
        {of !== undefined && ` · ${t('analysis.review.ofVersion', { version: of })}`}
      </Text>
      {comment && (
        <Text fontSize="sm" mt="1" dir="auto" overflowWrap="anywhere">
          {comment}
        </Text>
      )}
      {edited.length > 0 && (
        <Text fontSize="sm" color="fg.muted">
          {t('analysis.review.edited', {
            fields: edited.map((field) => t(`analysis.review.field.${field}`)).join(t('analysis.review.and')),
          })}
        </Text>
      )}
      {withdrawn && (
        <Text fontSize="sm" color="danger.fg" overflowWrap="anywhere">
          <Said i18nKey="analysis.review.withdrawnBy" values={{ name: fullName(withdrawn.by) }} />,{' '}
          {formatDateTime(withdrawn.at)}: <bdi>{withdrawn.reason}</bdi>
        </Text>
      )}
      <Box as="details" mt="1.5">
        <Box as="summary" fontSize="sm" color="accent.fg" cursor="pointer" w="fit-content" py="1">
          {t('analysis.review.provenance')}
        </Box>
        <Box mt="2">
          <Facts facts={facts} />
        </Box>
      </Box>
    </Box>
  );
}

/** Every run and every signature, the newest first. */
export function Versions({ imageId }: { imageId: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(versionsOf(imageId));
  if (!error && (!data || data.length === 0)) return null;
  return (
    <Box as="section" layerStyle="card" px={{ base: '5', lg: '6' }} py="22px" mt="4">
      <Heading as="h2" textStyle="section" mb="2">
        {t('analysis.review.versions')}
      </Heading>
      {error ? (
        <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Box as="ul" listStyleType="none">
          {data?.map((version) => (
            <Version key={version.version} version={version} />
          ))}
        </Box>
      )}
    </Box>
  );
}

import { Box, Heading, Table, Text } from '@chakra-ui/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatDate, formatProbability } from '../lib/format';
import { plain } from './analysis';
import { type Completed, compare, previousOf } from './review';

const shareOf = (confidence: number | null) => (confidence === null ? '–' : formatProbability(confidence));

/** The conditions of this analysis beside those of the one before. Nothing is shown without an earlier analysis, nor when two runs of the image name no condition. */
export function Comparison({ result }: { result: Completed }) {
  const { t } = useTranslation();
  const { data: before } = useQuery(previousOf(result.imageId));
  if (!before) return null;
  const rows = compare(before.findings, result).map((row) => ({ ...row, condition: plain(row.condition) }));
  const same = before.imageId === result.imageId;
  if (same && rows.length === 0) return null;
  return (
    <Box as="section" layerStyle="card" px={{ base: '5', lg: '6' }} py="22px" mt="4">
      <Heading as="h2" textStyle="section">
        {t('analysis.review.compare')}
      </Heading>
      <Text fontSize="sm" color="fg.muted" mb="3">
        {same ? t('analysis.review.earlierRun') : <bdi>{before.caption || t('common.untitled')}</bdi>} ·{' '}
        <time dateTime={before.at}>{formatDate(before.at)}</time>
      </Text>
      {rows.length === 0 ? (
        <Text color="fg.muted">{t('analysis.review.noConditions')}</Text>
      ) : (
        <Table.Root size="sm" css={{ fontVariantNumeric: 'tabular-nums' }}>
          <Table.Header>
            <Table.Row>
              <Table.ColumnHeader>{t('analysis.review.conditionColumn')}</Table.ColumnHeader>
              <Table.ColumnHeader textAlign="end">{t('analysis.review.before')}</Table.ColumnHeader>
              <Table.ColumnHeader textAlign="end">{t('analysis.review.now')}</Table.ColumnHeader>
            </Table.Row>
          </Table.Header>
          <Table.Body>
            {rows.map(({ condition, before: earlier, now }) => (
              <Table.Row key={condition}>
                <Table.Cell overflowWrap="anywhere">
                  <bdi>{condition}</bdi>
                </Table.Cell>
                <Table.Cell textAlign="end">{shareOf(earlier)}</Table.Cell>
                <Table.Cell textAlign="end" fontWeight={earlier === now ? 'normal' : 'semibold'}>
                  {shareOf(now)}
                </Table.Cell>
              </Table.Row>
            ))}
          </Table.Body>
        </Table.Root>
      )}
    </Box>
  );
}

import { Box, Grid, Heading, Table, Text } from '@chakra-ui/react';
import { type ActivityDay, type ActivityKind, activityKinds } from '@lightbox/contract/overview/calls.js';
import { useTranslation } from 'react-i18next';
import { formatDate, formatNumber } from '../lib/format';
import { Bars } from './Bars';

function Chart({ days, kind }: { days: readonly ActivityDay[]; kind: ActivityKind }) {
  const { t } = useTranslation();
  const what = t(`overview.perDay.${kind}`);
  const values = days.map((day) => day[kind]);
  const total = values.reduce((sum, n) => sum + n, 0);
  const most = Math.max(0, ...values);
  const day = days[values.indexOf(most)]?.day;
  const label =
    total > 0 && day
      ? t('overview.chart', { what, total, most, day: formatDate(day) })
      : t('overview.chartNone', { what });
  return (
    <Box minW="0">
      <Text fontSize="sm" color="fg.muted">
        {what}
      </Text>
      <Text fontSize="xl" fontWeight="700" lineHeight="1.3" mb="2">
        {formatNumber(total)}
      </Text>
      <Bars values={values} label={label} />
    </Box>
  );
}

function AsTable({ days }: { days: readonly ActivityDay[] }) {
  const { t } = useTranslation();
  return (
    <Table.ScrollArea mt="2">
      <Table.Root size="sm">
        <Table.Caption captionSide="bottom" textAlign="start">
          {t('overview.utc')}
        </Table.Caption>
        <Table.Header>
          <Table.Row>
            <Table.ColumnHeader>{t('overview.day')}</Table.ColumnHeader>
            {activityKinds.map((kind) => (
              <Table.ColumnHeader key={kind} textAlign="end">
                {t(`overview.perDay.${kind}`)}
              </Table.ColumnHeader>
            ))}
          </Table.Row>
        </Table.Header>
        <Table.Body fontVariantNumeric="tabular-nums">
          {[...days].reverse().map((day) => (
            <Table.Row key={day.day}>
              <Table.Cell whiteSpace="nowrap">{formatDate(day.day)}</Table.Cell>
              {activityKinds.map((kind) => (
                <Table.Cell key={kind} textAlign="end">
                  {formatNumber(day[kind])}
                </Table.Cell>
              ))}
            </Table.Row>
          ))}
        </Table.Body>
      </Table.Root>
    </Table.ScrollArea>
  );
}

/** What each of the last days brought: four small charts, and the same numbers as a table. */
export function Activity({ days }: { days: readonly ActivityDay[] }) {
  const { t } = useTranslation();
  return (
    <Box>
      <Heading as="h3" fontSize="md" mb="3">
        {t('overview.activity')}
      </Heading>
      <Grid templateColumns={{ base: 'repeat(2, minmax(0, 1fr))', md: 'repeat(4, minmax(0, 1fr))' }} gap="5">
        {activityKinds.map((kind) => (
          <Chart key={kind} days={days} kind={kind} />
        ))}
      </Grid>
      <Box asChild mt="3">
        <details>
          <Box asChild fontSize="sm" color="accent.fg" cursor="pointer" py="1.5" w="fit-content">
            <summary>{t('overview.asTable')}</summary>
          </Box>
          <AsTable days={days} />
        </details>
      </Box>
    </Box>
  );
}

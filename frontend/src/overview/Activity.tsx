import { Box, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import { type ActivityDay, type ActivityKind, activityKinds } from '@lightbox/contract/overview/calls.js';
import { useTranslation } from 'react-i18next';
import { formatDate, formatNumber } from '../lib/format';
import { Bars } from './Bars';
import { NumberTable } from './NumberTable';

/** Formats a calendar day. Without a time zone, it is the same day for every reader. */
const shown = (day: string) => formatDate(`${day}T00:00`);

function Chart({ days, kind }: { days: readonly ActivityDay[]; kind: ActivityKind }) {
  const { t } = useTranslation();
  const what = t(`overview.perDay.${kind}`);
  const values = days.map((day) => day[kind]);
  const total = values.reduce((sum, n) => sum + n, 0);
  const most = Math.max(0, ...values);
  const day = days[values.indexOf(most)]?.day;
  const label =
    total > 0 && day ? t('overview.chart', { what, total, most, day: shown(day) }) : t('overview.chartNone', { what });
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

/** Shows the activity of the last days in four small charts, and the same numbers in a table. */
export function Activity({ days }: { days: readonly ActivityDay[] }) {
  const { t } = useTranslation();
  const [from, to] = [days[0], days.at(-1)];
  return (
    <Box>
      <Flex align="baseline" gap="2.5" mb="3" wrap="wrap">
        <Heading as="h3" fontSize="md">
          {t('overview.activity')}
        </Heading>
        {from && to && (
          <Text fontSize="sm" color="fg.muted">
            {t('overview.fromTo', { from: shown(from.day), to: shown(to.day) })}
          </Text>
        )}
      </Flex>
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
          <NumberTable
            label={t('overview.activity')}
            head={t('overview.day')}
            columns={activityKinds.map((kind) => t(`overview.perDay.${kind}`))}
            rows={[...days]
              .reverse()
              .map((row) => ({ name: shown(row.day), values: activityKinds.map((kind) => row[kind]) }))}
          />
          <Text fontSize="xs" color="fg.muted" mt="2">
            {t('overview.utc')}
          </Text>
        </details>
      </Box>
    </Box>
  );
}

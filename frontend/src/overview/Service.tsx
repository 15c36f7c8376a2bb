import { Box, Button, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import type { ContentType } from '@lightbox/contract/images/names.js';
import type { Overview, QueueState } from '@lightbox/contract/overview/calls.js';
import { ArrowSquareOutIcon, CheckCircleIcon, PlugsIcon, WarningCircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatNumber, formatSpan } from '../lib/format';
import { Badge } from '../ui/Badge';
import { Meter } from '../ui/Meter';
import { Note } from '../ui/Note';
import { Activity } from './Activity';
import { NumberTable } from './NumberTable';
import { useQueueBoard } from './overview';

/** Hand-overs take a moment. A warning appears only when one has been pending for longer. */
const OVERDUE_MS = 5_000;

function States({ service }: { service: Overview['service'] }) {
  const { t } = useTranslation();
  const { mongodb, redis, pendingEvents } = service;
  const late = (pendingEvents.oldestMs ?? 0) > OVERDUE_MS;
  const states = [
    { name: t('overview.state.mongodb'), ok: mongodb === 'ok', says: t(`overview.state.${mongodb}`) },
    { name: t('overview.state.redis'), ok: redis === 'ok', says: t(`overview.state.${redis}`) },
    {
      name: t('overview.state.events'),
      ok: !late,
      says: late
        ? t('overview.state.waiting', { count: pendingEvents.count, span: formatSpan(pendingEvents.oldestMs ?? 0) })
        : t('overview.state.handedOver'),
    },
  ];
  return (
    <Flex as="ul" gap="2" wrap="wrap" listStyleType="none">
      {states.map(({ name, ok, says }) => (
        <li key={name}>
          <Badge Icon={ok ? CheckCircleIcon : WarningCircleIcon} tone={ok ? 'success' : 'warning'} filled={ok}>
            {`${name}: ${says}`}
          </Badge>
        </li>
      ))}
    </Flex>
  );
}

function Totals({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const { storage, liveSessions } = overview;
  const sum = (of: 'images' | 'bytes') => storage?.reduce((total, row) => total + row[of], 0);
  const [images, bytes] = [sum('images'), sum('bytes')];
  const totals = [
    { label: t('overview.sessions'), value: formatNumber(liveSessions) },
    { label: t('overview.storedImages'), value: images === undefined ? t('overview.unknown') : formatNumber(images) },
    { label: t('overview.storedBytes'), value: bytes === undefined ? t('overview.unknown') : formatBytes(bytes) },
  ];
  return (
    <Grid as="dl" templateColumns="repeat(3, minmax(0, 1fr))" gap="4">
      {totals.map(({ label, value }) => (
        <Flex key={label} direction="column-reverse" justify="flex-end" minW="0">
          <Box as="dd" fontSize={{ base: 'xl', md: '2xl' }} fontWeight="700" lineHeight="1.25" letterSpacing="-.02em">
            {value}
          </Box>
          <Box as="dt" fontSize="sm" color="fg.muted">
            {label}
          </Box>
        </Flex>
      ))}
    </Grid>
  );
}

const depths = ['waiting', 'active', 'delayed', 'failed'] as const;

function Queues({ queues }: { queues: readonly QueueState[] }) {
  const { t } = useTranslation();
  const open = useQueueBoard(t('overview.openQueuesFailed'));
  return (
    <Box>
      <Flex justify="space-between" align="center" gap="3" mb="2" wrap="wrap">
        <Heading as="h3" fontSize="md">
          {t('overview.queues')}
        </Heading>
        <Button variant="outline" size="sm" loading={open.isPending} onClick={() => open.mutate()}>
          <ArrowSquareOutIcon aria-hidden />
          {t('overview.openQueues')}
        </Button>
      </Flex>
      <NumberTable
        label={t('overview.queues')}
        head={t('overview.queue.name')}
        columns={depths.map((depth) => t(`overview.queue.${depth}`))}
        rows={queues.map((row) => ({
          name: t(`overview.queue.${row.queue}`),
          values: depths.map((depth) => row[depth]),
          alarm: row.failed > 0 ? depths.indexOf('failed') : undefined,
        }))}
      />
    </Box>
  );
}

function Storage({ storage }: { storage: NonNullable<Overview['storage']> }) {
  const { t } = useTranslation();
  const all = storage.reduce((total, { bytes }) => total + bytes, 0);
  return (
    <Box>
      <Heading as="h3" fontSize="md" mb="3">
        {t('overview.storage')}
      </Heading>
      {storage.length === 0 && (
        <Text fontSize="sm" color="fg.muted">
          {t('overview.nothingStored')}
        </Text>
      )}
      <Flex as="ul" direction="column" gap="3" listStyleType="none">
        {storage.map(({ contentType, images, bytes }) => (
          <li key={contentType}>
            <Flex justify="space-between" gap="3" fontSize="sm" mb="1.5" wrap="wrap">
              <Text as="span" fontWeight="medium">
                {t(`images.type.${contentType as ContentType}`, { defaultValue: contentType })}
              </Text>
              <Text as="span" color="fg.muted">
                {t('overview.storedOf', { count: images, size: formatBytes(bytes) })}
              </Text>
            </Flex>
            <Meter value={all > 0 ? bytes / all : 0} />
          </li>
        ))}
      </Flex>
    </Box>
  );
}

/** Shows the state of the service: its parts, users, activity, queues and disk space. */
export function Service({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const { service, activity, queues, storage } = overview;
  return (
    <Flex direction="column" gap="6" px={{ base: '4', md: '5' }} pb="5">
      {service.redis !== 'ok' && (
        <Note Icon={PlugsIcon} tone="warning" title={t('overview.degraded')} role="status">
          {t('overview.degradedText')}
        </Note>
      )}
      <States service={service} />
      <Totals overview={overview} />
      <Activity days={activity} />
      {queues && <Queues queues={queues} />}
      {storage && <Storage storage={storage} />}
    </Flex>
  );
}

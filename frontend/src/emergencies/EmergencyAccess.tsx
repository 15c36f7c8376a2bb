import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import type { Emergency } from '@lightbox/contract/emergencies/calls.js';
import { FirstAidIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useViewer } from '../auth/session';
import { errorText } from '../lib/errors';
import { formatDateTime, formatNumber, fullName } from '../lib/format';
import { useUrlPaging } from '../lib/useUrlPaging';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Page } from '../ui/Page';
import { Pager } from '../ui/Pager';
import { Said } from '../ui/Said';
import { PersonSkeleton } from '../ui/Skeletons';
import { EmergencyBadges } from './EmergencyBadges';
import { EmergencyPanel } from './EmergencyPanel';
import { emergencyList } from './emergencies';

/** The words about who opened whose images, for this viewer. */
const sentences = { patient: 'yours', healthProvider: 'own', admin: 'somebody' } as const;

function Row({ emergency, onOpen }: { emergency: Emergency; onOpen: () => void }) {
  const { t } = useTranslation();
  const { role } = useViewer();
  const names = { provider: fullName(emergency.provider), patient: fullName(emergency.patient) };
  return (
    <Box as="li" px={{ base: '4', md: '5' }} py="4" borderTopWidth="1px" data-emergency={emergency.id}>
      <Flex gap="3" justify="space-between" align="flex-start" wrap="wrap">
        <Box minW="0" flex="1 1 280px">
          <Heading as="h3" fontSize="md" lineHeight="1.4" overflowWrap="anywhere">
            <Said i18nKey={`emergencies.sentence.${sentences[role]}`} values={names} />
          </Heading>
          <Text fontSize="sm" color="fg.muted">
            {formatDateTime(emergency.from)}
          </Text>
          <Text mt="2" dir="auto" whiteSpace="pre-line" overflowWrap="anywhere" lineClamp={3}>
            {t('emergencies.because', { reason: emergency.reason })}
          </Text>
          <EmergencyBadges emergency={emergency} />
        </Box>
        <Button
          size="sm"
          variant="subtle"
          aria-label={t('emergencies.detailsOf', { name: role === 'healthProvider' ? names.patient : names.provider })}
          onClick={onOpen}
        >
          {t(role === 'admin' && emergency.review?.state === 'open' ? 'emergencies.review' : 'emergencies.details')}
        </Button>
      </Flex>
    </Box>
  );
}

/** Lists the emergency accesses: all for administrators, who review them; their own for other people. */
export function EmergencyAccess() {
  const { t } = useTranslation();
  const { role } = useViewer();
  const paging = useUrlPaging([10]);
  const { data, error, refetch } = useQuery(emergencyList(paging.query));
  const chosen = paging.params.get('id') ?? undefined;
  const pagination = data?.pagination;
  return (
    <Page title={t('emergencies.title')} sub={t(`emergencies.sub.${role}`)}>
      <Box as="section" layerStyle="card" overflow="hidden">
        <Flex align="center" gap="2.5" px={{ base: '4', md: '5' }} py="4" wrap="wrap">
          <Heading as="h2" textStyle="section">
            {t('emergencies.list')}
          </Heading>
          {pagination && (
            <Text color="fg.muted" fontVariantNumeric="tabular-nums">
              {formatNumber(pagination.totalItems)}
            </Text>
          )}
          {pagination && pagination.totalPages > 1 && (
            <Box ms="auto">
              <Pager paging={paging} pagination={pagination} />
            </Box>
          )}
        </Flex>
        {error && !data && <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />}
        {!data && !error && (
          <Box px="5" pb="4" role="status" aria-label={t('common.loading')}>
            <PersonSkeleton />
            <PersonSkeleton />
          </Box>
        )}
        {data?.data.length === 0 && (
          <Box borderTopWidth="1px">
            <EmptyState
              as="h3"
              Icon={FirstAidIcon}
              title={t('emergencies.empty')}
              text={t(`emergencies.emptyText.${role}`)}
            />
          </Box>
        )}
        <Box as="ul" listStyleType="none">
          {data?.data.map((emergency) => (
            <Row key={emergency.id} emergency={emergency} onOpen={() => paging.filter({ id: emergency.id })} />
          ))}
        </Box>
      </Box>
      <EmergencyPanel id={chosen} onClose={() => paging.filter({ id: '' })} />
    </Page>
  );
}

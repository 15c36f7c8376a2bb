import { Box, Button, Flex, Text } from '@chakra-ui/react';
import type { WebhookDelivery } from '@lightbox/contract/webhooks/calls.js';
import {
  ArrowClockwiseIcon,
  CheckCircleIcon,
  EyeSlashIcon,
  HourglassMediumIcon,
  TrayIcon,
  XCircleIcon,
} from '@phosphor-icons/react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatDateTime } from '../lib/format';
import { toast } from '../lib/toaster';
import { usePaging } from '../lib/usePaging';
import { Badge } from '../ui/Badge';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Pager } from '../ui/Pager';
import { Waiting } from '../ui/Skeletons';
import { deliveryList, useReplay } from './webhooks';

const looks = {
  waiting: { Icon: HourglassMediumIcon, tone: 'warning', filled: false },
  delivered: { Icon: CheckCircleIcon, tone: 'success', filled: true },
  failed: { Icon: XCircleIcon, tone: 'danger', filled: true },
  withheld: { Icon: EyeSlashIcon, tone: 'gray', filled: false },
} as const;

/** Says how the last try went, and when the next one follows. */
function useOutcome() {
  const { t } = useTranslation();
  return ({ state, status, fault, lastTryAt, nextTryAt }: WebhookDelivery): string => {
    const parts = [
      ...(fault === 'answer' && status ? [t('webhooks.fault.answer', { status })] : []),
      ...(fault && fault !== 'answer' ? [t(`webhooks.fault.${fault}`)] : []),
      ...(state === 'withheld' ? [t('webhooks.withheldText')] : []),
      ...(state === 'waiting' && lastTryAt && nextTryAt
        ? [t('webhooks.nextTry', { time: formatDateTime(nextTryAt) })]
        : []),
    ];
    return parts.join(' ');
  };
}

function Row({ delivery, canSend }: { delivery: WebhookDelivery; canSend: boolean }) {
  const { t } = useTranslation();
  const outcome = useOutcome();
  const replay = useReplay();
  const { event, at, state } = delivery;
  const said = outcome(delivery);
  return (
    <Flex as="li" align="center" gap="3" py="3" wrap="wrap" borderTopWidth="1px" _first={{ borderTopWidth: '0' }}>
      <Box flex="1 1 220px" minW="0">
        <Flex align="center" gap="2" wrap="wrap">
          <Text as="span" fontFamily="mono" fontSize="sm" fontWeight="semibold" dir="ltr" overflowWrap="anywhere">
            {event}
          </Text>
          <Badge {...looks[state]}>{t(`webhooks.state.${state}`)}</Badge>
        </Flex>
        <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
          {formatDateTime(at)}
        </Text>
        {said && (
          <Text fontSize="sm" color="fg.muted">
            {said}
          </Text>
        )}
      </Box>
      {canSend && (
        <Button
          size="sm"
          variant="outline"
          loading={replay.isPending}
          loadingText={t('webhooks.again')}
          aria-label={t('webhooks.againName', { event, time: formatDateTime(at) })}
          onClick={() => replay.mutate(delivery.id, { onSuccess: () => toast.success(t('webhooks.sentAgain')) })}
        >
          <ArrowClockwiseIcon aria-hidden />
          {t('webhooks.again')}
        </Button>
      )}
    </Flex>
  );
}

/** The deliveries of a webhook, with a button that sends one again. */
export function Deliveries({ id, on }: { id: string; on: boolean }) {
  const { t } = useTranslation();
  const paging = usePaging([10]);
  const { data, error, refetch } = useQuery({ ...deliveryList(id, paging.query), placeholderData: keepPreviousData });
  const rows = data?.data;
  if (error && !rows) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!rows) return <Waiting h="44px" w="80%" />;
  if (rows.length === 0) {
    return <EmptyState as="h3" Icon={TrayIcon} title={t('webhooks.none')} text={t('webhooks.noneText')} />;
  }
  return (
    <>
      <Box as="ul" listStyleType="none" aria-label={t('webhooks.deliveries')}>
        {rows.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} canSend={on} />
        ))}
      </Box>
      {(data.pagination?.hasNextPage || paging.page > 1) && (
        <Flex justify="flex-end" mt="3">
          <Pager label={t('webhooks.pages')} paging={paging} pagination={data.pagination} />
        </Flex>
      )}
    </>
  );
}

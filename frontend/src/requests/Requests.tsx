import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { type ImageRequest, requestCalls } from '@lightbox/contract/requests/calls.js';
import { EyeIcon, TrayArrowDownIcon } from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { formatBytes, formatDate, formatDateTime, formatSpan, fullName } from '../lib/format';
import { send } from '../lib/http';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { useNow } from '../lib/useNow';
import { usePaging } from '../lib/usePaging';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Page } from '../ui/Page';
import { Pager } from '../ui/Pager';
import { Row, Rows } from '../ui/Rows';
import { PersonSkeleton } from '../ui/Skeletons';
import { AskButton } from './AskForImage';
import { pageRows, refreshRequests, requestList } from './requests';
import { StateOf } from './StateOf';

/** The facts of a request in one line: its time, its files and its patient. */
function useLine({ state, createAt, expiresAt, files, bytes, heldUntil, patient }: ImageRequest): string {
  const { t } = useTranslation();
  const now = useNow(30_000);
  return [
    formatDateTime(createAt),
    patient && fullName(patient),
    state === 'waiting' && t('time.endsIn', { span: formatSpan(Date.parse(expiresAt) - now) }),
    (state === 'received' || state === 'taken') &&
      `${t('requests.list.files', { count: files })}, ${formatBytes(bytes)}`,
    heldUntil && t('requests.list.decide', { date: formatDate(heldUntil) }),
  ]
    .filter(Boolean)
    .join(' · ');
}

function OneRow({ request }: { request: ImageRequest }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const line = useLine(request);
  const { id, state, email, note, createAt } = request;
  const name = email ?? formatDateTime(createAt);
  const withdraw = useMutation({
    mutationFn: () => send(requestCalls.revokeRequest, { params: { id } }),
    onSuccess: () => void toast.success(t('requests.list.withdrawn')),
    onSettled: () => refreshRequests(cache),
    meta: { fallback: t('requests.list.withdrawFailed') },
  });
  return (
    <Row wrap="wrap">
      <Box flex="1" minW="0" flexBasis="220px">
        <Flex gap="2.5" align="center" wrap="wrap">
          <Text fontWeight="semibold" lineHeight="1.35" overflowWrap="anywhere">
            {email ? <bdi>{email}</bdi> : t('requests.list.plain')}
          </Text>
          <StateOf state={state} />
        </Flex>
        <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
          {line}
        </Text>
        {note && (
          <Text fontSize="sm" color="fg.muted" dir="auto" lineClamp="2" overflowWrap="anywhere">
            {note}
          </Text>
        )}
      </Box>
      {state === 'received' && (
        <Button asChild size="sm">
          <Link to={paths.request(id)} aria-label={t('requests.list.lookAt', { name })}>
            <EyeIcon aria-hidden />
            {t('requests.list.look')}
          </Link>
        </Button>
      )}
      {state === 'waiting' && (
        <Button
          size="sm"
          variant="surface"
          colorPalette="danger"
          aria-label={t('requests.list.withdrawThis', { name })}
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate()}
        >
          {t('requests.list.withdraw')}
        </Button>
      )}
    </Row>
  );
}

/** The requests of the person, the newest first. */
export function Requests() {
  const { t } = useTranslation();
  const paging = usePaging([pageRows]);
  const { data, error, isPending, refetch } = useQuery(requestList(paging.page, paging.cursor));
  const several = data?.pagination && data.pagination.totalPages > 1;
  return (
    <Page title={t('requests.title')} sub={t('requests.sub')} act={<AskButton />}>
      {error && !data && (
        <LoadFailed text={errorText(error, t('requests.list.failed'))} onRetry={() => void refetch()} />
      )}
      {isPending && <PersonSkeleton />}
      {data?.data.length === 0 && (
        <EmptyState Icon={TrayArrowDownIcon} title={t('requests.list.empty')} text={t('requests.list.emptyText')} />
      )}
      {data && data.data.length > 0 && (
        <Box layerStyle="card" p={{ base: '3', lg: '4' }}>
          <Rows>
            {data.data.map((request) => (
              <OneRow key={request.id} request={request} />
            ))}
          </Rows>
        </Box>
      )}
      {several && (
        <Flex justify="center" mt="4">
          <Pager paging={paging} pagination={data.pagination} />
        </Flex>
      )}
    </Page>
  );
}

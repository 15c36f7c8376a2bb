import { Box, Button, Flex, Input, InputGroup, NativeSelect, Text } from '@chakra-ui/react';
import { type AuditAction, auditActions } from '@lightbox/contract/audit/actions.js';
import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import {
  CalendarBlankIcon,
  ClipboardTextIcon,
  FunnelIcon,
  type Icon,
  LinkIcon,
  MagnifyingGlassIcon,
  RobotIcon,
  ShieldCheckIcon,
  UserCircleDashedIcon,
  WarningOctagonIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import { errorText } from '../lib/errors';
import { formatDate, formatDateTime, formatNumber, formatTime, fullName } from '../lib/format';
import { ApiError } from '../lib/http';
import { type AreaOf, areaOf, keyOf } from '../lib/names';
import { useDebounced } from '../lib/useDebounced';
import { useUrlPaging } from '../lib/useUrlPaging';
import { Badge } from '../ui/Badge';
import { type Column, DataTable } from '../ui/DataTable';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Page } from '../ui/Page';
import { UserAvatar } from '../ui/UserAvatar';
import { ActionMark } from './ActionMark';
import { auditLog, useVerifyChain } from './audit';
import { reasonText } from './reason';
import { sinceOf, spans } from './since';

const sizes = [5, 10, 20] as const;

/** Every second counts when a record is compared with another one. */
const formatMoment = (at: string) =>
  `${formatDate(at)}, ${formatTime(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`;

function Who({ entry: { user, ipaddress } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  if (user)
    return (
      <Flex align="center" gap="3" minW="0">
        <UserAvatar person={user} size="sm" />
        <Box minW="0">
          <Text as="span" display="block" fontWeight="semibold" dir="auto">
            {fullName(user)}
          </Text>
          <Text as="span" display="block" fontSize="xs" color="fg.muted" overflowWrap="anywhere">
            {user.username}
          </Text>
        </Box>
      </Flex>
    );
  const Mark = ipaddress ? UserCircleDashedIcon : RobotIcon;
  return (
    <Flex align="center" gap="3">
      <Box boxSize="32px" display="grid" placeItems="center" borderRadius="full" bg="bg.subtle" color="fg.muted">
        <Mark size={18} aria-hidden />
      </Box>
      <Text as="span" fontWeight="semibold">
        {t(ipaddress ? 'audit.nobody' : 'audit.system')}
      </Text>
    </Flex>
  );
}

const Mono = ({ children }: { children: ReactNode }) => (
  <Text as="span" fontFamily="mono" fontSize="sm" dir="ltr" overflowWrap="anywhere">
    {children}
  </Text>
);

function useColumns(): Column<AuditEntry>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'timestamp',
      header: t('audit.timestamp'),
      cell: ({ createAt }) => (
        <Text as="time" whiteSpace={{ md: 'nowrap' }} {...{ dateTime: createAt }}>
          {formatMoment(createAt)}
        </Text>
      ),
    },
    { key: 'user', header: t('audit.user'), cell: (entry) => <Who entry={entry} /> },
    { key: 'action', header: t('audit.actionColumn'), lead: true, cell: (entry) => <ActionMark entry={entry} /> },
    {
      key: 'table',
      header: t('audit.table'),
      cell: ({ tablename }) => (
        <Box as="span" color="fg.muted">
          <Mono>{tablename || t('audit.none')}</Mono>
        </Box>
      ),
    },
    {
      key: 'ip',
      header: t('audit.ip'),
      cell: ({ ipaddress }) => (
        <Box minW={{ md: '140px' }} maxW={{ md: '170px' }} whiteSpace="normal">
          <Mono>{ipaddress || t('audit.none')}</Mono>
        </Box>
      ),
    },
    {
      key: 'reason',
      header: t('audit.reason'),
      cell: ({ reason }) => (
        <Text as="span" display="block" minW={{ md: '170px' }} whiteSpace="normal" dir="auto" overflowWrap="anywhere">
          {reason ? reasonText(reason) : t('audit.none')}
        </Text>
      ),
    },
  ];
}

interface PickProps {
  label: string;
  Icon: Icon;
  width: string;
  value: string;
  onPick: (value: string) => void;
  children: ReactNode;
}

const Pick = ({ label, Icon: Mark, width, value, onPick, children }: PickProps) => (
  <NativeSelect.Root w={{ base: 'calc(50% - 5px)', sm: width }} size="sm">
    <Box position="absolute" insetStart="3" top="0" h="full" display="grid" placeItems="center" zIndex="1">
      <Mark size={18} aria-hidden />
    </Box>
    <NativeSelect.Field
      h={{ base: '44px', lg: '40px' }}
      ps="9"
      fontWeight="medium"
      aria-label={label}
      value={value}
      onChange={(event) => onPick(event.target.value)}
    >
      {children}
    </NativeSelect.Field>
    <NativeSelect.Indicator />
  </NativeSelect.Root>
);

/** The filter's options, by area. */
const areas = new Map<AreaOf<AuditAction>, AuditAction[]>();
for (const action of auditActions) areas.set(areaOf(action), [...(areas.get(areaOf(action)) ?? []), action]);

function ActionPick({ value, onPick }: { value: string; onPick: (value: string) => void }) {
  const { t } = useTranslation();
  return (
    <Pick label={t('audit.actionFilter')} Icon={FunnelIcon} width="220px" value={value} onPick={onPick}>
      <option value="">{t('audit.anyAction')}</option>
      {[...areas].map(([area, actions]) => (
        <optgroup key={area} label={t(`audit.area.${area}`)}>
          {actions.map((action) => (
            <option key={action} value={action}>
              {t(`audit.action.${keyOf(action)}`)}
            </option>
          ))}
        </optgroup>
      ))}
    </Pick>
  );
}

/** An administrator has the record proved, and sees what came of it. */
function useProof() {
  const { t } = useTranslation();
  const verify = useVerifyChain(t('audit.verify.failed'));
  const { data } = verify;
  return {
    act: (
      <Button
        variant="outline"
        loading={verify.isPending}
        loadingText={t('audit.verify.busy')}
        onClick={() => verify.mutate()}
      >
        <ShieldCheckIcon aria-hidden />
        {t('audit.verify.act')}
      </Button>
    ),
    whole: data?.ok && (
      <>
        <Badge Icon={LinkIcon} tone="success">
          {t('audit.verify.ok')}
        </Badge>
        <Text as="span" fontVariantNumeric="tabular-nums">
          {t('audit.verify.okText', { count: data.checked, time: formatTime(data.at) })}
        </Text>
      </>
    ),
    broken: data && !data.ok && (
      <Box mb="4">
        <Note Icon={WarningOctagonIcon} tone="danger" role="alert" title={t('audit.verify.broken')}>
          {t('audit.verify.brokenText', { entry: formatNumber(data.firstBroken ?? data.checked + 1) })}
        </Note>
      </Box>
    ),
  };
}

function useFailure() {
  const { t } = useTranslation();
  return (error: unknown) => {
    const text = errorText(error);
    if (!(error instanceof ApiError)) return t('audit.errorMessage', { text });
    return t(error.status === 0 ? 'audit.errorRequest' : 'audit.errorData', { text });
  };
}

/** Who did what and when, read only. */
export function AuditLogs() {
  const { t } = useTranslation();
  const proves = useMay('audit.verify');
  const paging = useUrlPaging(sizes);
  const [search, setSearch] = useState('');
  const rested = useDebounced(search.trim());
  const action = auditActions.find((one) => one === paging.params.get('action'));
  const span = spans.find((one) => one === paging.params.get('since'));
  const from = sinceOf(span ?? null);
  const { data, error, isFetching, refetch } = useQuery(
    auditLog({
      ...paging.query,
      ...(rested && { search: rested }),
      ...(action && { actiontype: action }),
      ...(from && { from }),
    }),
  );
  const proof = useProof();
  const failure = useFailure();
  const columns = useColumns();
  const filtered = Boolean(rested || action || span);
  const clear = () => {
    setSearch('');
    paging.filter({ action: '', since: '' });
  };
  return (
    <Page title={t('audit.title')} sub={t(proves ? 'audit.sub' : 'audit.subOwn')} act={proves && proof.act}>
      {proof.broken}
      <Flex gap="2.5" mb="4" align="center" wrap="wrap">
        <InputGroup
          w={{ base: 'full', md: '300px' }}
          startElement={<MagnifyingGlassIcon size={18} aria-hidden />}
          startElementProps={{ color: 'fg.muted' }}
        >
          <Input
            type="search"
            h={{ base: '44px', lg: '40px' }}
            bg="bg.surface"
            aria-label={t('audit.searchLabel')}
            placeholder={t('audit.search')}
            value={search}
            onChange={(event) => {
              setSearch(event.target.value);
              if (paging.page > 1) paging.restart();
            }}
          />
        </InputGroup>
        <Pick
          label={t('audit.spanFilter')}
          Icon={CalendarBlankIcon}
          width="170px"
          value={span ?? ''}
          onPick={(since) => paging.filter({ since })}
        >
          <option value="">{t('audit.span.any')}</option>
          {spans.map((name) => (
            <option key={name} value={name}>
              {t(`audit.span.${name}`)}
            </option>
          ))}
        </Pick>
        <ActionPick value={action ?? ''} onPick={(picked) => paging.filter({ action: picked })} />
        <Flex ms="auto" align="center" gap="2.5" fontSize="sm" color="fg.muted" role="status" wrap="wrap">
          {isFetching && !data ? t('audit.loading') : proof.whole}
        </Flex>
      </Flex>
      <Box as="section" layerStyle="card" overflow="hidden">
        {error && !data ? (
          <LoadFailed text={failure(error)} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            caption={t('audit.title')}
            columns={columns}
            rows={data?.data}
            rowId={({ id }) => id}
            rowName={(entry) =>
              t('audit.rowName', {
                action: t(`audit.action.${keyOf(entry.actiontype)}`),
                time: formatDateTime(entry.createAt),
              })
            }
            rowTone={({ status }) => (status === 'success' ? undefined : 'danger')}
            empty={
              <EmptyState
                Icon={ClipboardTextIcon}
                title={t('audit.empty')}
                text={t(filtered ? 'audit.emptyFiltered' : 'audit.emptyText')}
                act={
                  filtered && (
                    <Button variant="subtle" onClick={clear}>
                      {t('audit.clear')}
                    </Button>
                  )
                }
              />
            }
            paging={paging}
            pagination={data?.pagination}
          />
        )}
      </Box>
    </Page>
  );
}

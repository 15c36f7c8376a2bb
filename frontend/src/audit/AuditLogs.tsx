import { Box, Button, Flex, IconButton, Text } from '@chakra-ui/react';
import { auditActionNames } from '@lightbox/contract/audit/actions.js';
import { type AuditEntry, auditSorts, auditStatuses } from '@lightbox/contract/audit/calls.js';
import { mayPickPerson } from '@lightbox/contract/audit/policy.js';
import { Id } from '@lightbox/contract/ids.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import {
  ClipboardTextIcon,
  InfoIcon,
  LinkIcon,
  ShieldCheckIcon,
  WarningOctagonIcon,
  XIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { roleAtom, useMay } from '../auth/session';
import { errorText } from '../lib/errors';
import { formatDateTime, formatMoment, formatNumber, formatTime } from '../lib/format';
import { ApiError } from '../lib/http';
import { keyOf } from '../lib/names';
import { sortIn } from '../lib/sortIn';
import { useDebounced } from '../lib/useDebounced';
import { useUrlPaging } from '../lib/useUrlPaging';
import { Badge } from '../ui/Badge';
import { type Column, DataTable } from '../ui/DataTable';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Page } from '../ui/Page';
import { ActionMark } from './ActionMark';
import { auditLog, useVerifyChain } from './audit';
import { EntryDrawer } from './EntryDrawer';
import { ExportMenu } from './ExportMenu';
import { Filters, groupIn } from './Filters';
import { ObjectLink } from './ObjectLink';
import { PersonFilter } from './PersonFilter';
import { reasonText } from './reason';
import { rangeOf } from './since';
import { Mono, Who } from './Who';

const sizes = [5, 10, 20] as const;

function useColumns(): Column<AuditEntry>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'timestamp',
      header: t('audit.timestamp'),
      sort: { key: 'createAt', time: true },
      cell: ({ createAt }) => (
        <Text
          as="time"
          display="block"
          minW={{ md: '84px', xl: '96px' }}
          whiteSpace={{ base: 'normal', '2xl': 'nowrap' }}
          {...{ dateTime: createAt }}
        >
          {formatMoment(createAt)}
        </Text>
      ),
    },
    { key: 'user', header: t('audit.user'), cell: (entry) => <Who entry={entry} /> },
    {
      key: 'action',
      header: t('audit.actionColumn'),
      lead: true,
      cell: (entry) => (
        <Box minW={{ md: '110px' }} whiteSpace="normal">
          <ActionMark entry={entry} />
        </Box>
      ),
    },
    {
      key: 'table',
      header: t('audit.table'),
      cell: (entry) => <ObjectLink entry={entry} />,
    },
    {
      key: 'ip',
      header: t('audit.ip'),
      cell: ({ ipaddress }) => (
        <Box minW={{ md: '68px', xl: '112px' }} maxW={{ md: '170px' }} whiteSpace="normal">
          <Mono>{ipaddress || t('audit.none')}</Mono>
        </Box>
      ),
    },
    {
      key: 'reason',
      header: t('audit.reason'),
      cell: ({ reason }) => (
        <Text
          as="span"
          display="block"
          minW={{ md: '60px', '2xl': '170px' }}
          whiteSpace="normal"
          dir="auto"
          overflowWrap="anywhere"
        >
          {reason ? reasonText(reason) : t('audit.none')}
        </Text>
      ),
    },
  ];
}

/** Lets an administrator verify the chain of the log, and returns the result. */
function useVerification() {
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
          {t(`audit.verify.brokenText.${data.reason ?? 'changed'}`, {
            entry: formatNumber(data.firstBroken ?? data.checked + 1),
          })}
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

/** Returns the user id in the address, for administrators only: the server gives it to no other role. */
function useUserIn(params: URLSearchParams): string | undefined {
  const role = useAtomValue(roleAtom);
  const { data } = Id.safeParse(params.get('user'));
  return role && mayPickPerson(role) ? data : undefined;
}

/** Finds the name of the user in the entries, because a link contains only the id. */
const rowOf = (entries: AuditEntry[] | undefined, user: string) =>
  entries?.find((entry) => entry.user?.id === user)?.user ?? undefined;

/** Returns the query for the entries: from the address, and from the search text, which never enters the address. */
function useWanted(params: URLSearchParams, search: string) {
  const rested = useDebounced(search.trim());
  const action = auditActionNames.find((one) => one === params.get('action'));
  const status = auditStatuses.find((one) => one === params.get('status'));
  const user = useUserIn(params);
  const range = rangeOf(params);
  const chosen = groupIn(params);
  const group = chosen === 'all' ? undefined : chosen;
  const { data: record } = Id.safeParse(params.get('record'));
  const sort = sortIn(params, auditSorts, '-createAt');
  const wanted = {
    sort,
    ...range,
    // After the choice of a person, do not search for the text that found them.
    ...(rested && !user && { search: rested }),
    ...(action && { actiontype: action }),
    ...(status && { status }),
    ...(user && { user }),
    ...(record && { record }),
    ...(group && { group }),
    ...(chosen !== 'all' && { lists: 'false' as const }),
  };
  return {
    user,
    sort,
    wanted,
    record,
    filtered: Boolean(rested || action || status || user || chosen || record || range.from || range.to),
  };
}

/** The audit log. */
export function AuditLogs() {
  const { t } = useTranslation();
  const proves = useMay('audit.verify');
  const paging = useUrlPaging(sizes);
  const [search, setSearch] = useState('');
  const { user, sort, wanted, record, filtered } = useWanted(paging.params, search);
  const { data, error, isFetching, refetch } = useQuery(auditLog({ ...paging.query, ...wanted }));
  const [chosen, setChosen] = useState<UserRow>();
  const [shown, setShown] = useState<AuditEntry>();
  const verification = useVerification();
  const failure = useFailure();
  const columns = useColumns();
  const nameOf = (entry: AuditEntry) =>
    t('audit.rowName', {
      action: t(`audit.action.${keyOf(entry.actiontype)}`),
      time: formatDateTime(entry.createAt),
    });
  const clear = () => {
    setSearch('');
    paging.filter({ action: '', group: '', status: '', user: '', record: '', since: '', from: '', to: '' });
  };
  return (
    <Page
      title={t('audit.title')}
      sub={t(proves ? 'audit.sub' : 'audit.subOwn')}
      act={
        <Flex gap="2.5" wrap="wrap">
          <ExportMenu wanted={wanted} />
          {proves && verification.act}
        </Flex>
      }
    >
      {verification.broken}
      <Flex gap="2.5" mb="4" align="center" wrap="wrap">
        <Filters
          person={
            <PersonFilter
              search={search}
              onSearch={(text) => {
                setSearch(text);
                if (paging.page > 1) paging.restart();
              }}
              picked={user ? { id: user, person: chosen?.id === user ? chosen : rowOf(data?.data, user) } : undefined}
              onPick={(person) => {
                setChosen(person);
                setSearch('');
                paging.filter({ user: person?.id ?? '' });
              }}
            />
          }
          params={paging.params}
          filter={paging.filter}
        />
        {record && (
          <Button variant="subtle" size="sm" h="control" maxW="full" onClick={() => paging.filter({ record: '' })}>
            <Text as="span" truncate>
              {t('audit.onlyRecord', { name: data?.data.find(({ object }) => object)?.object?.name ?? '' })}
            </Text>
            <XIcon aria-hidden />
          </Button>
        )}
        <Flex ms="auto" align="center" gap="2.5" fontSize="sm" color="fg.muted" role="status" wrap="wrap">
          {isFetching && !data ? t('audit.loading') : verification.whole}
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
            rowName={nameOf}
            rowActions={(entry) => (
              <IconButton
                variant="ghost"
                size="sm"
                aria-label={t('audit.details', {
                  name: nameOf(entry),
                })}
                onClick={() => setShown(entry)}
              >
                <InfoIcon />
              </IconButton>
            )}
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
            sorting={{ value: sort, onSort: (value) => paging.filter({ sort: value === '-createAt' ? '' : value }) }}
          />
        )}
      </Box>
      <EntryDrawer entry={shown} onClose={() => setShown(undefined)} />
    </Page>
  );
}

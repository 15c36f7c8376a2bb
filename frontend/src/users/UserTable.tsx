import { Button, Flex } from '@chakra-ui/react';
import { roles } from '@lightbox/contract/permissions.js';
import { maySortBy, userSorts } from '@lightbox/contract/users/policy.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { DownloadSimpleIcon, MagnifyingGlassIcon, UsersIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { roleAtom, useMay } from '../auth/session';
import { errorText } from '../lib/errors';
import { fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { sortIn } from '../lib/sortIn';
import { toast } from '../lib/toaster';
import { useDebounced } from '../lib/useDebounced';
import { useUrlPaging } from '../lib/useUrlPaging';
import { DataTable } from '../ui/DataTable';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { type AccountAct, AccountDialog } from './AccountDialog';
import { useColumns } from './columns';
import { RowMenu } from './RowMenu';
import { SearchBar, SelectionBar } from './TableBars';
import { useExportUsers, userList, useToggleUser } from './users';

const sizes = [5, 10, 25] as const;

interface Asked {
  act: AccountAct;
  users: UserRow[];
}

/** The table of all people whom the viewer may see, paged by the server. Administrators manage accounts here. */
export function UserTable() {
  const { t } = useTranslation();
  const manages = useMay('user.manage');
  const paging = useUrlPaging(sizes);
  const viewerRole = useAtomValue(roleAtom) ?? 'patient';
  // The search text may name a patient, so it is not in the address; filter and order are.
  const [search, setSearch] = useState('');
  const role = roles.find((name) => name === paging.params.get('role')) ?? '';
  const sorts = userSorts.filter((key) => maySortBy(viewerRole, key));
  const sort = sortIn(paging.params, sorts, 'name');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked>();
  const navigate = useNavigate();
  const columns = useColumns(manages);
  const rested = useDebounced(search.trim());
  const { data, error, refetch } = useQuery(
    userList({ ...paging.query, sort, ...(rested && { search: rested }), ...(role && { role }) }),
  );
  const exporting = useExportUsers(t('common.exportFailed'));
  const toggle = useToggleUser();
  const close = () => setAsked(undefined);
  const act = (what: AccountAct, users: UserRow[]) => {
    // A single activation needs no confirmation, because nothing is lost.
    if (what === 'activate' && users.length === 1 && users[0]) {
      const [user] = users;
      return toggle.mutate(
        { id: user.id, active: true },
        { onSuccess: () => toast.success(t('users.table.activated', { name: fullName(user) })) },
      );
    }
    setAsked({ act: what, users });
  };
  const rows = data?.data;
  const chosen = rows?.filter(({ id }) => selected.has(id)) ?? [];
  const narrow = (change: Record<string, string>) => {
    paging.filter(change);
    setSelected(new Set());
  };

  return (
    <Flex as="section" direction="column" layerStyle="card" overflow="hidden">
      {chosen.length > 0 ? (
        <SelectionBar
          count={chosen.length}
          onAct={(what) => act(what, chosen)}
          onClear={() => setSelected(new Set())}
        />
      ) : (
        <SearchBar
          search={search}
          onSearch={(text) => {
            setSearch(text);
            narrow({});
          }}
          role={role}
          onRole={(name) => narrow({ role: name })}
          act={
            manages && (
              <Button
                variant="outline"
                h="2.375rem"
                size="sm"
                w={{ base: 'full', sm: 'auto' }}
                loading={exporting.isPending}
                loadingText={t('common.exporting')}
                onClick={() => exporting.mutate({ sort, ...(rested && { search: rested }), ...(role && { role }) })}
              >
                <DownloadSimpleIcon aria-hidden />
                {t('users.table.export')}
              </Button>
            )
          }
        />
      )}
      {error && !data ? (
        <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          caption={t('users.table.title')}
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          rowName={fullName}
          rowActions={(user) => (
            <RowMenu
              user={user}
              manages={manages}
              onView={() => navigate(paths.userProfile(user.id))}
              onAct={(what) => act(what, [user])}
            />
          )}
          {...(manages && { selection: { selected, onChange: setSelected } })}
          empty={
            rested || role ? (
              <EmptyState Icon={MagnifyingGlassIcon} title={t('users.table.none')} text={t('users.table.noneText')} />
            ) : (
              <EmptyState Icon={UsersIcon} title={t('users.table.nobody')} text={t('users.table.nobodyText')} />
            )
          }
          paging={paging}
          pagination={data?.pagination}
          sorting={{ value: sort, onSort: (value) => narrow({ sort: value === 'name' ? '' : value }) }}
        />
      )}
      {asked && (
        <AccountDialog
          act={asked.act}
          users={asked.users}
          onClose={close}
          onDone={() => {
            close();
            setSelected(new Set());
          }}
        />
      )}
    </Flex>
  );
}

import {
  Button,
  Flex,
  Heading,
  IconButton,
  Input,
  InputGroup,
  Menu,
  NativeSelect,
  Portal,
  Text,
} from '@chakra-ui/react';
import { roles } from '@lightbox/contract/permissions.js';
import { maySortBy, userSorts } from '@lightbox/contract/users/policy.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import {
  CheckCircleIcon,
  DotsThreeVerticalIcon,
  DownloadSimpleIcon,
  EyeIcon,
  KeyIcon,
  MagnifyingGlassIcon,
  MinusCircleIcon,
  ShieldSlashIcon,
  TrashIcon,
  UserMinusIcon,
  UserPlusIcon,
  UsersIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { roleAtom, useMay } from '../auth/session';
import { errorText } from '../lib/errors';
import { formatDate, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { sortIn } from '../lib/sortIn';
import { toast } from '../lib/toaster';
import { useDebounced } from '../lib/useDebounced';
import { useUrlPaging } from '../lib/useUrlPaging';
import { RoleBadge } from '../ui/Badge';
import { type Column, DataTable } from '../ui/DataTable';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { UserAvatar } from '../ui/UserAvatar';
import { type AccountAct, AccountDialog } from './AccountDialog';
import { useExportUsers, userList, useToggleUser } from './users';

const sizes = [5, 10, 25] as const;

function ActiveMark({ active }: { active: boolean }) {
  const { t } = useTranslation();
  const Mark = active ? CheckCircleIcon : MinusCircleIcon;
  return (
    <Flex as="span" align="center" gap="1.5" fontWeight="semibold" color={active ? 'success.fg' : 'fg.muted'}>
      <Mark size={18} weight={active ? 'fill' : 'regular'} aria-hidden />
      {t(active ? 'common.yes' : 'common.no')}
    </Flex>
  );
}

/** Administrators see since when somebody is here; for others it is not in the answer. */
function useColumns(manages: boolean): Column<UserRow>[] {
  const { t } = useTranslation();
  const columns: Column<UserRow>[] = [
    {
      key: 'name',
      header: t('users.table.fullName'),
      lead: true,
      sort: { key: 'name' },
      cell: (user) => (
        <Flex align="center" gap="3" minW="0">
          <UserAvatar person={user} role={user.role} size="sm" />
          <Text as="span" fontWeight="semibold" dir="auto">
            {fullName(user)}
          </Text>
        </Flex>
      ),
    },
    {
      key: 'email',
      header: t('users.table.email'),
      sort: { key: 'email' },
      cell: (user) => (
        <Text as="span" color="fg.muted">
          {user.email}
        </Text>
      ),
    },
    {
      key: 'role',
      header: t('users.table.role'),
      sort: { key: 'role' },
      cell: (user) => <RoleBadge name={user.role} />,
    },
    {
      key: 'gender',
      header: t('users.table.gender'),
      cell: ({ gender }) => t(`users.gender.${(gender || 'none') as 'none'}`),
    },
    {
      key: 'active',
      header: t('users.table.active'),
      ...(manages && { sort: { key: 'active' } }),
      cell: (user) => <ActiveMark active={user.active} />,
    },
  ];
  if (manages)
    columns.push({
      key: 'createAt',
      header: t('users.table.registered'),
      sort: { key: 'createAt', time: true },
      cell: ({ createAt }) => (
        <Text as="span" color="fg.muted" whiteSpace="nowrap">
          {createAt && formatDate(createAt)}
        </Text>
      ),
    });
  return columns;
}

interface RowMenuProps {
  user: UserRow;
  manages: boolean;
  onView: () => void;
  onAct: (act: AccountAct) => void;
}

function RowMenu({ user, manages, onView, onAct }: RowMenuProps) {
  const { t } = useTranslation();
  return (
    <Menu.Root
      lazyMount
      positioning={{ placement: 'bottom-end' }}
      onSelect={({ value }) => (value === 'view' ? onView() : onAct(value as AccountAct))}
    >
      <Menu.Trigger asChild>
        <IconButton variant="ghost" size="sm" aria-label={t('common.actionsFor', { name: fullName(user) })}>
          <DotsThreeVerticalIcon weight="bold" />
        </IconButton>
      </Menu.Trigger>
      <Portal>
        <Menu.Positioner>
          <Menu.Content>
            <Menu.Item value="view">
              <EyeIcon size={20} aria-hidden />
              {t('users.table.view')}
            </Menu.Item>
            {manages && (
              <>
                <Menu.Item value={user.active ? 'deactivate' : 'activate'}>
                  {user.active ? <UserMinusIcon size={20} aria-hidden /> : <UserPlusIcon size={20} aria-hidden />}
                  {t(user.active ? 'users.table.deactivate' : 'users.table.activate')}
                </Menu.Item>
                {user.status === 'active' && (
                  <Menu.Item value="role">
                    <KeyIcon size={20} aria-hidden />
                    {t('users.table.changeRole')}
                  </Menu.Item>
                )}
                {(user.totp || user.passkeys) && (
                  <Menu.Item value="appReset">
                    <ShieldSlashIcon size={20} aria-hidden />
                    {t('users.table.appReset')}
                  </Menu.Item>
                )}
                <Menu.Separator />
                <Menu.Item value="delete" color="danger.fg">
                  <TrashIcon size={20} aria-hidden />
                  {t('users.table.delete')}
                </Menu.Item>
              </>
            )}
          </Menu.Content>
        </Menu.Positioner>
      </Portal>
    </Menu.Root>
  );
}

interface BarProps {
  search: string;
  onSearch: (text: string) => void;
  role: string;
  onRole: (role: string) => void;
  act: ReactNode;
}

function SearchBar({ search, onSearch, role, onRole, act }: BarProps) {
  const { t } = useTranslation();
  return (
    <Flex align="center" gap="2.5" px="5" py="3.5" wrap="wrap">
      <Heading as="h2" textStyle="section" me="auto">
        {t('users.table.title')}
      </Heading>
      <InputGroup
        w={{ base: 'full', sm: '270px' }}
        startElement={<MagnifyingGlassIcon size={18} aria-hidden />}
        startElementProps={{ color: 'fg.muted' }}
      >
        <Input
          type="search"
          h="38px"
          aria-label={t('users.table.searchLabel')}
          placeholder={t('users.table.search')}
          value={search}
          onChange={(event) => onSearch(event.target.value)}
        />
      </InputGroup>
      <NativeSelect.Root w={{ base: 'full', sm: '170px' }} size="sm">
        <NativeSelect.Field
          h="38px"
          fontWeight="medium"
          aria-label={t('users.table.roleFilter')}
          value={role}
          onChange={(event) => onRole(event.target.value)}
        >
          <option value="">{t('users.table.allRoles')}</option>
          {roles.map((name) => (
            <option key={name} value={name}>
              {t(`app.role.${name}`)}
            </option>
          ))}
        </NativeSelect.Field>
        <NativeSelect.Indicator />
      </NativeSelect.Root>
      {act}
    </Flex>
  );
}

/** In place of the search while rows are selected: what can be done with them. */
function SelectionBar({
  count,
  onAct,
  onClear,
}: {
  count: number;
  onAct: (act: AccountAct) => void;
  onClear: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Flex
      align="center"
      gap="2.5"
      px="5"
      py="3.5"
      wrap="wrap"
      bg="accent.subtle"
      color="accent.onSubtle"
      borderTopRadius="card"
    >
      <Text fontWeight="semibold" me="auto" role="status">
        {t('users.table.selected', { count })}
      </Text>
      <Button variant="outline" size="sm" onClick={() => onAct('activate')}>
        <UserPlusIcon aria-hidden />
        {t('users.table.activate')}
      </Button>
      <Button variant="outline" size="sm" onClick={() => onAct('deactivate')}>
        <UserMinusIcon aria-hidden />
        {t('users.table.deactivate')}
      </Button>
      <Button variant="ghost" size="sm" onClick={onClear}>
        {t('users.table.clear')}
      </Button>
    </Flex>
  );
}

interface Asked {
  act: AccountAct;
  users: UserRow[];
}

/** Everybody the viewer may see, paged by the server; administrators manage accounts from here. */
export function UserTable() {
  const { t } = useTranslation();
  const manages = useMay('user.manage');
  const paging = useUrlPaging(sizes);
  const viewerRole = useAtomValue(roleAtom) ?? 'patient';
  // Words that people search by stay out of the address; what they narrow and sort by does not.
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
    // Letting somebody in again takes nothing away: no question.
    if (what === 'activate' && users.length === 1 && users[0]) {
      const [user] = users;
      return toggle.mutate(user.id, {
        onSuccess: () => toast.success(t('users.table.activated', { name: fullName(user) })),
      });
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
                h="38px"
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

import { Flex, Text } from '@chakra-ui/react';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { CheckCircleIcon, MinusCircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatDate, fullName } from '../lib/format';
import { RoleBadge } from '../ui/Badge';
import type { Column } from '../ui/DataTable';
import { UserAvatar } from '../ui/UserAvatar';

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

/** Returns the columns of the user table. Only the answers to administrators have the day of registration. */
export function useColumns(manages: boolean): Column<UserRow>[] {
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
      // Nobody can sign in with an account that waits for approval.
      cell: ({ active, status }) =>
        status === 'pending' ? (
          <Text as="span" display="block" maxW="16" whiteSpace="normal" lineHeight="1.25">
            {t('app.badge.underReview')}
          </Text>
        ) : (
          <ActiveMark active={active} />
        ),
    },
  ];
  if (manages)
    columns.push({
      key: 'createAt',
      header: t('users.table.registered'),
      sort: { key: 'createAt', time: true },
      cell: ({ createAt }) => (
        <Text as="span" color="fg.muted" whiteSpace={{ md: 'nowrap' }}>
          {createAt && formatDate(createAt)}
        </Text>
      ),
    });
  return columns;
}

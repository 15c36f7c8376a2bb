import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { CheckIcon, HourglassMediumIcon, XIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatNumber, fullName } from '../lib/format';
import { sortIn } from '../lib/sortIn';
import { useUrlPaging } from '../lib/useUrlPaging';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Pager } from '../ui/Pager';
import { PersonSkeleton } from '../ui/Skeletons';
import { SortSelect } from '../ui/Sorting';
import { StateBadge } from '../ui/StateBadge';
import { UserAvatar } from '../ui/UserAvatar';
import { ApproveDialog } from './ApproveDialog';
import { Credentials } from './Credentials';
import { RejectDialog } from './RejectDialog';
import { pendingProviders } from './users';

interface ApplicantProps {
  user: UserRow;
  onApprove: () => void;
  onReject: () => void;
}

/** Shows a provider who waits for approval: the person, the credentials, and the buttons for the decision. */
function Applicant({ user, onApprove, onReject }: ApplicantProps) {
  const { t } = useTranslation();
  const name = fullName(user);
  return (
    <Box as="li" p={{ base: '4', md: '5' }} borderTopWidth="1px">
      <Flex align="center" gap="3" wrap="wrap" mb="4">
        <UserAvatar person={user} role={user.role} />
        <Box minW="0" flex="1 1 200px">
          <Heading as="h3" fontSize="md" dir="auto">
            {name}
          </Heading>
          <Text fontSize="sm" color="fg.muted" overflowWrap="anywhere">
            {user.email}
          </Text>
        </Box>
        <StateBadge state="underReview" />
      </Flex>
      <Credentials user={user} />
      <Flex gap="2.5" justify="flex-end" mt="4" wrap="wrap">
        <Button
          variant="surface"
          colorPalette="danger"
          aria-label={t('users.approve.rejectName', { name })}
          onClick={onReject}
        >
          <XIcon aria-hidden />
          {t('users.approve.reject')}
        </Button>
        <Button variant="subtle" aria-label={t('users.approve.approveName', { name })} onClick={onApprove}>
          <CheckIcon aria-hidden />
          {t('users.approve.approve')}
        </Button>
      </Flex>
    </Box>
  );
}

/** Lists the providers who wait for approval. A decision does not leave this screen. */
export function PendingList() {
  const { t } = useTranslation();
  const paging = useUrlPaging([10]);
  const sort = sortIn(paging.params, ['name', 'createAt'], 'name');
  const { data, error, refetch } = useQuery(pendingProviders({ ...paging.query, sort }));
  const [approving, setApproving] = useState<UserRow>();
  const [rejecting, setRejecting] = useState<UserRow>();
  const pagination = data?.pagination;
  return (
    <Box as="section" layerStyle="card" overflow="hidden">
      <Flex align="center" gap="2.5" px={{ base: '4', md: '5' }} py="4" wrap="wrap">
        <Heading as="h2" textStyle="section">
          {t('users.approve.listTitle')}
        </Heading>
        {pagination && (
          <Text color="fg.muted" fontVariantNumeric="tabular-nums">
            {formatNumber(pagination.totalItems)}
          </Text>
        )}
        {pagination && pagination.totalItems > 1 && (
          <Box ms="auto">
            <SortSelect
              keys={[
                { key: 'name', name: t('users.table.fullName') },
                { key: 'createAt', time: true, name: t('users.approve.since') },
              ]}
              sorting={{ value: sort, onSort: (value) => paging.filter({ sort: value === 'name' ? '' : value }) }}
            />
          </Box>
        )}
        {pagination && pagination.totalPages > 1 && (
          <Box>
            <Pager paging={paging} pagination={pagination} />
          </Box>
        )}
      </Flex>
      {error && !data && <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Box px="5" pb="4">
          <PersonSkeleton />
          <PersonSkeleton />
        </Box>
      )}
      {data?.data.length === 0 && (
        <Box borderTopWidth="1px">
          <EmptyState Icon={HourglassMediumIcon} title={t('users.approve.empty')} text={t('users.approve.emptyText')} />
        </Box>
      )}
      <Box as="ul" listStyleType="none">
        {data?.data.map((user) => (
          <Applicant
            key={user.id}
            user={user}
            onApprove={() => setApproving(user)}
            onReject={() => setRejecting(user)}
          />
        ))}
      </Box>
      {approving && <ApproveDialog user={approving} onClose={() => setApproving(undefined)} />}
      {rejecting && <RejectDialog user={rejecting} onClose={() => setRejecting(undefined)} />}
    </Box>
  );
}

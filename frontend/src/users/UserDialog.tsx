import { Box, CloseButton, Dialog, Flex, Portal, Text } from '@chakra-ui/react';
import type { User } from '@lightbox/contract/users/schemas.js';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { formatBirthday, formatDate, fullName } from '../lib/format';
import { RoleBadge, StateBadge } from '../ui/Badge';
import { type Fact, Facts } from '../ui/Facts';
import { LoadFailed } from '../ui/LoadFailed';
import { PersonSkeleton } from '../ui/Skeletons';
import { UserAvatar } from '../ui/UserAvatar';
import { oneUser } from './users';

/** What this viewer may see of an account: a field that is absent is not theirs to know, and is not listed. */
function useFacts(user: User): Fact[] {
  const { t } = useTranslation();
  const none = t('users.details.none');
  const fact = (label: string, value: string | undefined, mono = false): Fact[] =>
    value === undefined ? [] : [{ label, value: value || none, mono }];
  const place = [user.address, user.zipcode, user.city, user.state, user.country].filter(Boolean).join(', ');
  return [
    ...fact(t('users.details.username'), user.username),
    ...fact(t('users.details.gender'), t(`users.gender.${(user.gender || 'none') as 'none'}`)),
    ...fact(t('users.details.dob'), user.dob && formatBirthday(user.dob)),
    ...fact(t('users.details.phone'), user.phone),
    ...fact(t('users.details.address'), user.country === undefined ? undefined : place),
    ...fact(t('auth.register.medical.bloodgroup'), user.bloodgroup),
    ...fact(t('auth.register.medical.primphysician'), user.primphysician || undefined),
    ...fact(t('auth.register.medical.specialization'), user.specialization || undefined),
    ...fact(t('auth.register.medical.licensenumber'), user.licensenumber || undefined, true),
    ...fact(t('users.details.joined'), user.createAt && formatDate(user.createAt)),
  ];
}

function Account({ user }: { user: User }) {
  return (
    <>
      <Flex align="center" gap="2" wrap="wrap" mb="5">
        <RoleBadge name={user.role.name} />
        <StateBadge state={user.status === 'pending' ? 'underReview' : user.active ? 'active' : 'inactive'} />
      </Flex>
      <Facts facts={useFacts(user)} />
      {user.bio && (
        <Text mt="5" color="fg.muted" dir="auto" whiteSpace="pre-line">
          {user.bio}
        </Text>
      )}
    </>
  );
}

/** A look at one account, without leaving the list. */
export function UserDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(oneUser(id));
  const user = data?.data;
  return (
    <Dialog.Root open onOpenChange={(change) => !change.open && onClose()}>
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner>
          <Dialog.Content>
            <Dialog.Header alignItems="center" gap="4" pe="14">
              {user && <UserAvatar person={user} role={user.role.name} />}
              <Box minW="0">
                <Dialog.Title dir="auto">{user ? fullName(user) : t('common.loading')}</Dialog.Title>
                {user && (
                  <Text fontSize="sm" color="fg.muted" overflowWrap="anywhere">
                    {user.email}
                  </Text>
                )}
              </Box>
            </Dialog.Header>
            <Dialog.CloseTrigger asChild>
              <CloseButton variant="ghost" aria-label={t('common.close')} />
            </Dialog.CloseTrigger>
            <Dialog.Body>
              {user ? (
                <Account user={user} />
              ) : error ? (
                <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
              ) : (
                <PersonSkeleton />
              )}
            </Dialog.Body>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}

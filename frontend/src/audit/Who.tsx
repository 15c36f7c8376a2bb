import { Box, Flex, Text } from '@chakra-ui/react';
import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import { RobotIcon, UserCircleDashedIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName, ltr } from '../lib/format';
import { UserAvatar } from '../ui/UserAvatar';

/** Shows the actor: a person, a client without a session, or the product itself. */
export function Who({ entry: { user, ipaddress, tokenId } }: { entry: AuditEntry }) {
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
          {tokenId && (
            <Text as="span" display="block" fontSize="xs" color="fg.muted" overflowWrap="anywhere">
              {t('audit.byToken', { id: ltr(tokenId) })}
            </Text>
          )}
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

export const Mono = ({ children }: { children: ReactNode }) => (
  <Text as="span" fontFamily="mono" fontSize="sm" dir="ltr" overflowWrap="anywhere">
    {children}
  </Text>
);

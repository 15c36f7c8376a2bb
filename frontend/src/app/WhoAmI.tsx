import { Box, Flex, Text } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { userAtom } from '../auth/session';
import { fullName } from '../lib/format';
import { UserAvatar } from '../ui/UserAvatar';

/** Shows the name and the role of the signed-in person. */
export function WhoAmI({ wordless = false }: { wordless?: boolean }) {
  const { t } = useTranslation();
  const user = useAtomValue(userAtom);
  if (!user) return null;
  return (
    <Flex align="center" gap="11px" minW="0" flex="1">
      <UserAvatar person={user} role={user.role.name} />
      <Box minW="0" srOnly={wordless}>
        <Text fontWeight="semibold" fontSize=".9375rem" lineHeight="1.35" truncate>
          <bdi>{fullName(user)}</bdi>
        </Text>
        <Text color="fg.muted" fontSize="xs" lineHeight="1.35" truncate>
          {t(`app.role.${user.role.name}`)}
        </Text>
      </Box>
    </Flex>
  );
}

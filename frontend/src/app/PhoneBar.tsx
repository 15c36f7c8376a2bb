import { Flex } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { userAtom } from '../auth/session';
import { paths } from '../lib/paths';
import { Logo } from '../ui/Mark';
import { UserAvatar } from '../ui/UserAvatar';

export function PhoneBar() {
  const { t } = useTranslation();
  const user = useAtomValue(userAtom);
  return (
    <Flex
      as="header"
      minH="56px"
      flex="none"
      align="center"
      justify="space-between"
      ps="4"
      pe="4"
      position="sticky"
      top="0"
      zIndex="docked"
      bg="bg"
    >
      <Link to={paths.home} aria-label={t('common.appName')} style={{ display: 'flex' }}>
        <Logo size={28} />
      </Link>
      {user && <UserAvatar person={user} role={user.role.name} size="sm" />}
    </Flex>
  );
}

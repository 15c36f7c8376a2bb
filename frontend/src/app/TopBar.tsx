import { Button, Flex } from '@chakra-ui/react';
import { SignOutIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { useLogout } from '../auth/useLogout';
import { Bell } from '../notifications/Bell';
import { LanguageSwitch } from '../ui/LanguageSwitch';
import { ThemeMenu } from '../ui/ThemeMenu';

/** The bar on the desktop: language, theme, notices and Logout. The title of the page is inside the panel. */
export function TopBar() {
  const { t } = useTranslation();
  const logout = useLogout();
  return (
    <Flex
      as="header"
      minH="66px"
      flex="none"
      align="center"
      justify="flex-end"
      gap="2"
      ps="2.5"
      pe="1"
      position="sticky"
      top="0"
      zIndex="docked"
      bg="bg"
    >
      <LanguageSwitch />
      <ThemeMenu />
      <Bell />
      <Button variant="ghost" onClick={logout.now} loading={logout.pending} loadingText={t('app.logout')}>
        <SignOutIcon mirrored={document.dir === 'rtl'} />
        {t('app.logout')}
      </Button>
    </Flex>
  );
}

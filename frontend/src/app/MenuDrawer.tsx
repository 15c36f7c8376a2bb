import { Box, Button, chakra, Flex, Separator, Text } from '@chakra-ui/react';
import { type Icon, SignOutIcon, TranslateIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLogout } from '../auth/useLogout';
import { usePublicSettings } from '../lib/publicSettings';
import { ClinicLine } from '../ui/ClinicLine';
import { InfoLinks } from '../ui/InfoLinks';
import { useNextLanguage } from '../ui/LanguageSwitch';
import { Logo } from '../ui/Mark';
import { SidePanel } from '../ui/SidePanel';
import { useThemeCycle } from '../ui/ThemeMenu';
import { MenuLinks } from './MenuLinks';
import { WhoAmI } from './WhoAmI';

/** A setting that changes with a tap: icon, label and current value. */
function Row({ Icon, label, state, onClick }: { Icon: Icon; label: string; state: ReactNode; onClick: () => void }) {
  return (
    <chakra.button
      type="button"
      onClick={onClick}
      display="flex"
      alignItems="center"
      gap="3"
      w="full"
      minH="50px"
      px="3"
      py="1"
      textAlign="start"
      borderRadius="11px"
      color="fg.muted"
      fontSize="1.03125rem"
      fontWeight="medium"
      cursor="pointer"
      _hover={{ bg: 'bg.muted', color: 'fg' }}
    >
      <Icon size={24} aria-hidden />
      {label}
      <Text as="span" ms="auto" fontSize="sm">
        {state}
      </Text>
    </chakra.button>
  );
}

function Rows() {
  const { t } = useTranslation();
  const theme = useThemeCycle();
  const next = useNextLanguage();
  return (
    <>
      <Row
        Icon={TranslateIcon}
        label={t('app.language.label')}
        state={<span lang={next.code}>{next.name}</span>}
        onClick={next.turn}
      />
      <Row Icon={theme.Icon} label={t('app.theme.label')} state={t(`app.theme.${theme.value}`)} onClick={theme.turn} />
    </>
  );
}

/** The full menu of a phone, a drawer from the start edge. */
export function MenuDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const logout = useLogout();
  const clinic = usePublicSettings();
  return (
    <SidePanel
      open={open}
      onClose={onClose}
      placement="start"
      title={<Logo size={28} />}
      head={{ align: 'center', px: '2', pt: '0', pb: '0' }}
      maxW="312px"
      borderStartEndRadius="22px"
      borderEndEndRadius="22px"
      px="3"
      pt="14px"
      pb="calc(18px + env(safe-area-inset-bottom))"
      aria-label={t('app.menu.title')}
      overflowY="auto"
    >
      <Box mt="3.5">
        <MenuLinks drawer onPick={onClose} />
      </Box>
      <Box mt="auto" pt="4">
        <Rows />
        <ClinicLine of={clinic} px="3" mt="2" />
        <InfoLinks px="3" mt="2" onPick={onClose} />
        <Separator my="9px" mx="3" />
        <Flex align="center" gap="2" ps="2" wrap="wrap">
          <Flex flex="1 1 9rem" minW="0">
            <WhoAmI />
          </Flex>
          <Button variant="ghost" size="sm" onClick={logout.now} loading={logout.pending}>
            <SignOutIcon mirrored={document.dir === 'rtl'} />
            {t('app.logout')}
          </Button>
        </Flex>
      </Box>
    </SidePanel>
  );
}

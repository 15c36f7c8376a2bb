import { Box, Flex, IconButton } from '@chakra-ui/react';
import { SidebarSimpleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { usePublicSettings } from '../lib/publicSettings';
import { ClinicLine } from '../ui/ClinicLine';
import { InfoLinks } from '../ui/InfoLinks';
import { Logo } from '../ui/Mark';
import { Tooltip } from '../ui/Tooltip';
import { MenuLinks } from './MenuLinks';
import { WhoAmI } from './WhoAmI';

/** The menu on the desktop: 256 px wide, or 76 px with icons only, and more with large text. */
export function Sidebar({ collapsed, onCollapse }: { collapsed: boolean; onCollapse: () => void }) {
  const { t } = useTranslation();
  const clinic = usePublicSettings();
  const label = t(collapsed ? 'app.menu.expand' : 'app.menu.collapse');
  return (
    <Flex
      as="aside"
      direction="column"
      position="sticky"
      top="0"
      h="100dvh"
      minW="0"
      overflowX="hidden"
      overflowY="auto"
      pt="block"
      pb="4"
      ps="4"
      pe="14px"
    >
      <Flex minH="34px" align="center" px={collapsed ? '7px' : '2.5'} flex="none">
        <Link to={paths.home} aria-label={t('common.appName')} style={{ display: 'flex' }}>
          <Logo wordless={collapsed} />
        </Link>
      </Flex>
      <Box mt="26px">
        <MenuLinks collapsed={collapsed} />
      </Box>
      <Box mt="auto" pt="4">
        {!collapsed && (
          <>
            <ClinicLine of={clinic} px="2.5" />
            <InfoLinks px="2.5" mt="1" />
          </>
        )}
      </Box>
      <Flex pt="4" align="center" gap="11px" px={collapsed ? '0' : '2.5'} direction={collapsed ? 'column' : 'row'}>
        <WhoAmI wordless={collapsed} />
        <Tooltip content={label}>
          <IconButton
            variant="ghost"
            size="sm"
            aria-label={label}
            aria-expanded={!collapsed}
            onClick={onCollapse}
            me={collapsed ? '0' : '-1.5'}
            _expanded={{ bg: 'transparent', color: 'fg.muted', _hover: { bg: 'bg.emphasized', color: 'fg' } }}
          >
            <SidebarSimpleIcon mirrored={document.dir === 'rtl'} />
          </IconButton>
        </Tooltip>
      </Flex>
    </Flex>
  );
}

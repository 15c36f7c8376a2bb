import { Box, Flex, Separator, Text } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router-dom';
import { roleAtom } from '../auth/session';
import { Count } from '../ui/Count';
import { Tooltip } from '../ui/Tooltip';
import { type MenuEntry, menuOf } from './menu';

const noCount = () => 0;

interface LinkProps {
  entry: MenuEntry;
  /** True: icons only, the labels in tooltips. */
  collapsed: boolean;
  drawer: boolean;
  onPick: (() => void) | undefined;
}

function MenuLink({ entry, collapsed, drawer, onPick }: LinkProps) {
  const { t } = useTranslation();
  const { Icon, useCount = noCount } = entry;
  const count = useCount();
  const label = t(`app.menu.${entry.label}`);
  return (
    <Tooltip
      content={label}
      disabled={!collapsed}
      positioning={{ placement: document.dir === 'rtl' ? 'left' : 'right' }}
    >
      <NavLink to={entry.path} end={entry.path === '/'} onClick={onPick} style={{ textDecoration: 'none' }}>
        {({ isActive }) => (
          <Flex
            align="center"
            gap="3"
            minH={drawer ? '50px' : '42px'}
            py="1"
            px="3"
            borderRadius="11px"
            position="relative"
            fontSize={drawer ? '1.03125rem' : '.9375rem'}
            fontWeight={isActive ? '650' : 'medium'}
            color={isActive ? (drawer ? 'accent.onSubtle' : 'fg') : 'fg.muted'}
            bg={isActive ? (drawer ? 'accent.subtle' : 'bg.surface') : 'transparent'}
            boxShadow={isActive && !drawer ? 'lit' : 'none'}
            transition="background-color, color"
            transitionDuration="fade"
            _hover={isActive ? {} : { bg: drawer ? 'bg.muted' : 'bg.emphasized', color: 'fg' }}
          >
            <Box color={isActive && !drawer ? 'accent.fg' : 'inherit'} flex="none">
              <Icon size={drawer ? 24 : 22} weight={isActive ? 'fill' : 'regular'} aria-hidden />
            </Box>
            <Text as="span" minW="0" overflowWrap="break-word" lineHeight="1.3" srOnly={collapsed}>
              {label}
            </Text>
            {count > 0 && (
              <Box
                ms={collapsed ? '0' : 'auto'}
                position={collapsed ? 'absolute' : 'static'}
                top="1"
                insetEnd="0.5"
                display="inline-flex"
              >
                <Count
                  value={count}
                  lamp={entry.waiting}
                  label={t(entry.waiting ? 'app.menu.waiting' : 'app.menu.count', { count })}
                />
              </Box>
            )}
          </Flex>
        )}
      </NavLink>
    </Tooltip>
  );
}

/** The menu for this person's role, in the sidebar or in the drawer. */
export function MenuLinks({
  collapsed = false,
  drawer = false,
  onPick,
}: {
  collapsed?: boolean;
  drawer?: boolean;
  onPick?: () => void;
}) {
  const { t } = useTranslation();
  const role = useAtomValue(roleAtom);
  return (
    <Flex as="nav" aria-label={t('app.menu.title')} direction="column" gap="3px">
      {menuOf(role).map((entry) => (
        <Fragment key={entry.label}>
          {entry.apart && <Separator my="9px" mx="3" />}
          <MenuLink entry={entry} collapsed={collapsed} drawer={drawer} onPick={onPick} />
        </Fragment>
      ))}
    </Flex>
  );
}

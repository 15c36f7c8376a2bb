import { chakra, Flex } from '@chakra-ui/react';
import { ListIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router-dom';
import { roleAtom } from '../auth/session';
import { NoticesTab } from '../notifications/Bell';
import { onOpening } from '../ui/onOpening';
import { TabFace } from '../ui/TabFace';
import { type MenuEntry, tabsOf } from './menu';

const MenuDrawer = onOpening(async () => (await import('./MenuDrawer')).MenuDrawer);

const noCount = () => 0;

function Tab({ entry }: { entry: MenuEntry }) {
  const { t } = useTranslation();
  const { Icon, tab = 'images', useCount = noCount } = entry;
  const count = useCount();
  return (
    <NavLink to={entry.path} style={{ textDecoration: 'none', flex: 1 }}>
      {({ isActive }) => <TabFace Icon={Icon} label={t(`app.tab.${tab}`)} active={isActive} count={count} />}
    </NavLink>
  );
}

/** The bottom bar of a phone: the daily screens, the notices, and the button for the whole menu. */
export function BottomBar() {
  const { t } = useTranslation();
  const role = useAtomValue(roleAtom);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Flex
        as="nav"
        aria-label={t('app.menu.title')}
        position="fixed"
        insetInline="0"
        bottom="0"
        zIndex="docked"
        bg="bg.panel"
        borderTopWidth="1px"
        borderColor="border"
        px="1"
        pt="1.5"
        pb="calc(10px + env(safe-area-inset-bottom))"
      >
        {tabsOf(role).map((entry) => (
          <Tab key={entry.label} entry={entry} />
        ))}
        <NoticesTab />
        <chakra.button type="button" flex="1" cursor="pointer" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <TabFace Icon={ListIcon} label={t('app.menu.more')} active={open} />
        </chakra.button>
      </Flex>
      <MenuDrawer open={open} onClose={() => setOpen(false)} />
    </>
  );
}

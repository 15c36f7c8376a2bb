import { Box, Grid, SkipNavContent, SkipNavLink } from '@chakra-ui/react';
import { useIsFetching } from '@tanstack/react-query';
import { useAtom, useAtomValue } from 'jotai';
import { atomWithStorage } from 'jotai/utils';
import { type ReactNode, startTransition, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation } from 'react-router-dom';
import { useIsDesktop } from '../lib/useMedia';
import { useUnreadInTitle } from '../messages/unread';
import { Offer } from '../push/Offer';
import { bareAtom } from '../ui/bare';
import { Lamp } from '../ui/Lamp';
import { OfflineBar } from '../ui/OfflineBar';
import { TrayHost } from '../uploads/TrayHost';
import { BottomBar } from './BottomBar';
import { PhoneBar } from './PhoneBar';
import { Sidebar } from './Sidebar';
import { TopBar } from './TopBar';
import { useSavedLanguage } from './useSavedLanguage';
import { useSavedTimeZone } from './useSavedTimeZone';

/** True when the sidebar of this browser shows icons only. Not private: a sign-out does not delete it. */
const collapsedAtom = atomWithStorage('sidebar', false, undefined, { getOnInit: true });

/** Moves the focus to the content after a navigation, so that a screen reader starts there. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current !== pathname) main.current?.focus({ preventScroll: true });
    last.current = pathname;
  }, [pathname]);
  return main;
}

/** The loading bar, active also while a screen waits for its first answer. */
function FetchingLamp() {
  return <Lamp waiting={useIsFetching({ predicate: (query) => query.state.status === 'pending' }) > 0} />;
}

/** The frame of every signed-in screen: menu, top bar and the panel with the content. */
export function Shell({ children = <Outlet /> }: { children?: ReactNode }) {
  const { t } = useTranslation();
  const [collapsed, setCollapsed] = useAtom(collapsedAtom);
  // The frame that answers the click comes first: a slow processor needs a while to draw the screen with another width.
  const collapse = () => startTransition(() => setCollapsed((now) => !now));
  const desktop = useIsDesktop();
  const bare = useAtomValue(bareAtom) && !desktop;
  const main = useFocusOnNavigation();
  useUnreadInTitle();
  useSavedLanguage();
  useSavedTimeZone();
  const panel = (
    <Box
      as="main"
      ref={main}
      tabIndex={-1}
      // The panel has the focus only for screen readers, so it shows no focus ring.
      _focusVisible={{ outline: 'none' }}
      flex="1"
      minW="0"
      {...(bare
        ? { minH: '0', bg: 'bg.canvas' }
        : {
            layerStyle: 'lit',
            borderRadius: { base: '20px 20px 0 0', lg: 'panel' },
            px: { base: '4', md: '6', lg: '34px' },
            pt: { base: 'block', lg: '30px' },
            pb: {
              base: 'calc(92px + env(safe-area-inset-bottom) + var(--tray-room, 0px))',
              lg: 'calc(34px + var(--tray-room, 0px))',
            },
          })}
    >
      {!bare && <FetchingLamp />}
      <SkipNavContent />
      {children}
    </Box>
  );
  // Both layouts use one tree, so that typed text is not lost when a tablet is turned.
  return (
    <>
      <SkipNavLink>{t('app.skip')}</SkipNavLink>
      <Grid
        data-frame
        templateColumns={
          desktop ? `${collapsed ? 'max(76px, 4rem)' : 'max(256px, 13rem)'} minmax(0,1fr)` : 'minmax(0,1fr)'
        }
        minH="100dvh"
        transition="grid-template-columns"
        transitionDuration={desktop ? 'slide' : '0s'}
        transitionTimingFunction="settle"
      >
        {desktop && <Sidebar collapsed={collapsed} onCollapse={collapse} />}
        <Box
          display="flex"
          flexDirection="column"
          minW="0"
          {...(desktop && { pe: '14px', pb: '14px' })}
          {...(bare && { h: '100dvh' })}
        >
          {desktop ? <TopBar /> : !bare && <PhoneBar />}
          <OfflineBar />
          <Offer />
          {panel}
          <TrayHost hidden={bare} />
          {!desktop && !bare && <BottomBar />}
        </Box>
      </Grid>
    </>
  );
}

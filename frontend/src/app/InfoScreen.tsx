import { Box, Flex } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet } from 'react-router-dom';
import { roleAtom } from '../auth/session';
import { paths } from '../lib/paths';
import { LanguageSwitch } from '../ui/LanguageSwitch';
import { Logo } from '../ui/Mark';

const InShell = lazy(async () => ({ default: (await import('./InShell')).InShell }));

/** The frame of a page that everybody may read: inside the menu for a person who is logged in, else below the logo. */
export function InfoScreen() {
  return (
    <InfoFrame>
      <Outlet />
    </InfoFrame>
  );
}

function InfoFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  if (useAtomValue(roleAtom)) {
    return (
      <Suspense fallback={null}>
        <InShell>{children}</InShell>
      </Suspense>
    );
  }
  return (
    <Flex direction="column" minH="100dvh">
      <Flex
        as="header"
        minH="68px"
        flex="none"
        align="center"
        justify="space-between"
        wrap="wrap"
        px={{ base: '5', lg: '10' }}
      >
        <Box asChild display="flex">
          <Link to={paths.home} aria-label={t('common.appName')}>
            <Logo />
          </Link>
        </Box>
        <LanguageSwitch />
      </Flex>
      <Box as="main" flex="1" w="full" maxW="840px" mx="auto" px={{ base: '4', md: '6' }} pb="68px" pt="4">
        {children}
      </Box>
    </Flex>
  );
}

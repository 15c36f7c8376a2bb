import { Box, Flex } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { lazy, type ReactNode, Suspense } from 'react';
import { Outlet } from 'react-router-dom';
import { roleAtom } from '../auth/session';
import { PublicBar } from './PublicBar';

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
  if (useAtomValue(roleAtom)) {
    return (
      <Suspense fallback={null}>
        <InShell>{children}</InShell>
      </Suspense>
    );
  }
  return (
    <Flex direction="column" minH="100dvh">
      <PublicBar />
      <Box as="main" flex="1" w="full" maxW="840px" mx="auto" px={{ base: '4', md: '6' }} pb="68px" pt="4">
        {children}
      </Box>
    </Flex>
  );
}

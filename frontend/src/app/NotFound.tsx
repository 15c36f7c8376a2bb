import { Box, Flex } from '@chakra-ui/react';
import { MagnifyingGlassIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { roleAtom } from '../auth/session';
import { paths } from '../lib/paths';
import { EmptyState } from '../ui/EmptyState';
import { LanguageSwitch } from '../ui/LanguageSwitch';
import { Logo } from '../ui/Mark';
import { useTitle } from '../ui/Page';
import { StartLink } from './StartLink';

const InShell = lazy(async () => ({ default: (await import('./InShell')).InShell }));

/** Says that the address shows nothing. */
export function Missing() {
  const { t } = useTranslation();
  useTitle(t('app.notFound.title'));
  return (
    <EmptyState
      as="h1"
      Icon={MagnifyingGlassIcon}
      title={t('app.notFound.title')}
      text={t('app.notFound.text')}
      act={<StartLink />}
    />
  );
}

/** An address without a screen: inside the menu for a person who is logged in, else below the logo. */
export function NotFound() {
  const { t } = useTranslation();
  if (useAtomValue(roleAtom)) {
    return (
      <Suspense fallback={null}>
        <InShell>
          <Missing />
        </InShell>
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
      <Flex as="main" flex="1" align="center" justify="center" pb="68px">
        <Missing />
      </Flex>
    </Flex>
  );
}

import { Flex } from '@chakra-ui/react';
import { MagnifyingGlassIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { roleAtom } from '../auth/session';
import { EmptyState } from '../ui/EmptyState';
import { useTitle } from '../ui/Page';
import { PublicBar } from './PublicBar';
import { StartLink } from './StartLink';

const InShell = lazy(async () => ({ default: (await import('./InShell')).InShell }));

/** Says that the address shows nothing. */
function Missing() {
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
      <PublicBar />
      <Flex as="main" flex="1" align="center" justify="center" pb="68px">
        <Missing />
      </Flex>
    </Flex>
  );
}

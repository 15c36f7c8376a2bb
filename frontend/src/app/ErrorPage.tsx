import { Box, Button, Flex } from '@chakra-ui/react';
import { ArrowsClockwiseIcon, HouseLineIcon, type Icon, WarningCircleIcon, WifiSlashIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { isRouteErrorResponse, useRouteError } from 'react-router-dom';
import { ApiError } from '../lib/http';
import { paths } from '../lib/paths';
import { EmptyState } from '../ui/EmptyState';
import { useTitle } from '../ui/Page';
import { NotFound } from './NotFound';

/** The messages of browsers when a chunk cannot be loaded: after a release the server no longer has the old chunks. */
const missingChunk =
  /dynamically imported module|importing a module script failed|error loading dynamically|unable to preload/i;

type Kind = 'broken' | 'newVersion' | 'unreachable';

/** Returns the kind of a failure. Offline, a missing chunk is only unreachable; online, a new version replaced it. */
function kindOf(error: unknown): Kind {
  // biome-ignore lint/plugin/codesNotWords: browsers have no code for it
  if (!(error instanceof Error) || !missingChunk.test(error.message)) return 'broken';
  return navigator.onLine ? 'newVersion' : 'unreachable';
}

const looks = {
  broken: { Icon: WarningCircleIcon, title: 'app.failed.title', text: 'app.failed.text' },
  newVersion: { Icon: ArrowsClockwiseIcon, title: 'app.failed.newVersionTitle', text: 'app.failed.newVersionText' },
  unreachable: { Icon: WifiSlashIcon, title: 'app.failed.unreachableTitle', text: 'app.failed.unreachableText' },
} as const satisfies Record<Kind, { Icon: Icon; title: string; text: string }>;

/** Shown when a screen fails: no code and no stack, but links, and the request id that finds the failure in the log. */
export function ErrorPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  const { Icon, title, text } = looks[kindOf(error)];
  useTitle(t(title));
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  // The text is split at the request id instead of using `Trans`: every page loads this one, and `Trans` is large.
  const [before, after] = t('app.failed.request').split(/<id>.*<\/id>/);
  return (
    <Flex as="main" minH="80dvh" align="center" justify="center">
      <EmptyState
        as="h1"
        Icon={Icon}
        title={t(title)}
        text={
          <>
            {t(text)}
            {requestId && (
              <Box as="span" display="block" mt="2" fontSize="sm">
                {before}
                <Box as="bdi" dir="ltr" fontFamily="mono" userSelect="all">
                  {requestId}
                </Box>
                {after}
              </Box>
            )}
          </>
        }
        act={
          <Flex gap="2.5" wrap="wrap" justify="center">
            <Button onClick={() => window.location.reload()}>{t('app.failed.act')}</Button>
            <Button asChild variant="outline">
              {/* A plain link loads the whole page again, so that no broken state remains. */}
              <a href={paths.home}>
                <HouseLineIcon aria-hidden />
                {t('app.failed.home')}
              </a>
            </Button>
          </Flex>
        }
      />
    </Flex>
  );
}

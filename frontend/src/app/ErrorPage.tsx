import { Button, Flex } from '@chakra-ui/react';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { isRouteErrorResponse, useRouteError } from 'react-router-dom';
import { EmptyState } from '../ui/EmptyState';
import { useTitle } from '../ui/Page';
import { NotFound } from './NotFound';

/** What is shown when a screen fails: no code, no stack, one way on. */
export function ErrorPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  useTitle(t('app.failed.title'));
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  return (
    <Flex as="main" minH="100dvh" align="center" justify="center">
      <EmptyState
        as="h1"
        Icon={WarningCircleIcon}
        title={t('app.failed.title')}
        text={t('app.failed.text')}
        act={<Button onClick={() => window.location.reload()}>{t('app.failed.act')}</Button>}
      />
    </Flex>
  );
}

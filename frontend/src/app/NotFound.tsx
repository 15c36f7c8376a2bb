import { Button, Flex } from '@chakra-ui/react';
import { MagnifyingGlassIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { roleAtom } from '../auth/session';
import { paths, startOf } from '../lib/paths';
import { EmptyState } from '../ui/EmptyState';
import { useTitle } from '../ui/Page';

export function NotFound() {
  const { t } = useTranslation();
  const role = useAtomValue(roleAtom);
  useTitle(t('app.notFound.title'));
  return (
    <Flex as="main" minH="100dvh" align="center" justify="center">
      <EmptyState
        as="h1"
        Icon={MagnifyingGlassIcon}
        title={t('app.notFound.title')}
        text={t('app.notFound.text')}
        act={
          <Button asChild>
            <Link to={role ? startOf(role) : paths.home}>{t('app.notFound.act')}</Link>
          </Button>
        }
      />
    </Flex>
  );
}

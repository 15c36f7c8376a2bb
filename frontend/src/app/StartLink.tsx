import { Button } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { roleAtom } from '../auth/session';
import { paths, startOf } from '../lib/paths';

/** The way on from a page that is missing or not allowed: a patient's images, another person's first screen, or /. */
export function StartLink() {
  const { t } = useTranslation();
  const role = useAtomValue(roleAtom);
  return (
    <Button asChild>
      <Link to={role ? startOf(role) : paths.home}>
        {t(role === 'patient' ? 'app.notFound.images' : 'app.notFound.act')}
      </Link>
    </Button>
  );
}

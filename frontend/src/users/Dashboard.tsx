import { Button } from '@chakra-ui/react';
import { ArrowRightIcon, UserCheckIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useMay, userAtom } from '../auth/session';
import { formatLongDay, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { Page } from '../ui/Page';
import { StatCards } from './StatCards';
import { UserTable } from './UserTable';
import { usePendingCount } from './users';

function PendingLink() {
  const { t } = useTranslation();
  const count = usePendingCount();
  if (count === 0) return null;
  return (
    <Button asChild variant="subtle">
      <Link to={paths.approveProvider}>
        <UserCheckIcon aria-hidden />
        {t('users.waiting', { count })}
        <ArrowRightIcon mirrored={document.dir === 'rtl'} aria-hidden />
      </Link>
    </Button>
  );
}

export function Dashboard() {
  const { t } = useTranslation();
  const user = useAtomValue(userAtom);
  const decides = useMay('user.approve');
  if (!user) return null;
  const name = fullName(user);
  // Only administrators see their role in brackets.
  const title =
    user.role.name === 'admin'
      ? t('users.welcomeRole', { name, role: t('app.role.admin') })
      : t('users.welcome', { name });
  return (
    <Page
      title={title}
      tabTitle={t('users.dashboard')}
      sub={formatLongDay(Date.now())}
      act={decides && <PendingLink />}
    >
      <StatCards />
      <UserTable />
    </Page>
  );
}

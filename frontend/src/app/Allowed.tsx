import type { Permission } from '@lightbox/contract/permissions.js';
import { LockKeyIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router-dom';
import { roleAtom, useMay } from '../auth/session';
import { EmptyState } from '../ui/EmptyState';
import { useTitle } from '../ui/Page';
import { StartLink } from './StartLink';

function NotYours() {
  const { t } = useTranslation();
  const role = useAtomValue(roleAtom);
  useTitle(t('app.notYours.title'));
  return (
    <EmptyState
      as="h1"
      Icon={LockKeyIcon}
      title={t('app.notYours.title')}
      text={t(role === 'patient' ? 'app.notYours.patient' : 'app.notYours.text')}
      act={<StartLink />}
    />
  );
}

/** Shows its screens only with the permission. The server enforces it; this avoids a screen full of errors. */
export function Allowed({ to }: { to: Permission }) {
  return useMay(to) ? <Outlet /> : <NotYours />;
}

import type { Permission } from '@lightbox/contract/permissions.js';
import { LockKeyIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router-dom';
import { useMay } from '../auth/session';
import { EmptyState } from '../ui/EmptyState';
import { Page } from '../ui/Page';

/** Shows its screens only with the permission. The server enforces it; this avoids a screen full of errors. */
export function Allowed({ to }: { to: Permission }) {
  const { t } = useTranslation();
  if (useMay(to)) return <Outlet />;
  return (
    <Page title={t('app.notYours.title')}>
      <EmptyState Icon={LockKeyIcon} title={t('app.notYours.title')} text={t('app.notYours.text')} />
    </Page>
  );
}

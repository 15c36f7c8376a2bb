import type { Permission } from '@lightbox/contract/permissions.js';
import { LockKeyIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router-dom';
import { useMay } from '../auth/session';
import { EmptyState } from '../ui/EmptyState';
import { Page } from '../ui/Page';

/** Screens for those who may. The server decides; this saves the others a page of errors. */
export function Allowed({ to }: { to: Permission }) {
  const { t } = useTranslation();
  if (useMay(to)) return <Outlet />;
  return (
    <Page title={t('app.notYours.title')}>
      <EmptyState Icon={LockKeyIcon} title={t('app.notYours.title')} text={t('app.notYours.text')} />
    </Page>
  );
}

import type { Permission } from '@lightbox/contract/permissions.js';
import { LockKeyIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation } from 'react-router-dom';
import { IdleWarning } from '../auth/IdleWarning';
import { asEndReason, endedAtom, endSession, rememberPlace, session, sessionAtom, useMay } from '../auth/session';
import { connectSocket } from '../lib/socket';
import { store } from '../lib/store';
import { EmptyState } from '../ui/EmptyState';
import { Page } from '../ui/Page';
import { paths } from './paths';
import { Shell } from './Shell';
import { socketEvents } from './socketEvents';

function useSocket(userId: string | undefined) {
  useEffect(() => {
    if (!userId) return;
    return connectSocket(
      { token: () => session().token, ended: (reason) => endSession(asEndReason(reason)) },
      socketEvents,
    );
  }, [userId]);
}

function SignIn() {
  const { pathname, search, hash } = useLocation();
  // Whoever signed out on purpose does not want to come back to the same page, and the next person even less.
  useEffect(() => {
    if (store.get(endedAtom) !== 'logout') rememberPlace(pathname + search + hash);
  }, [pathname, search, hash]);
  return <Navigate to={paths.login} replace />;
}

/** Every protected screen lives under this: without a session there is only the way to /login. */
export function RequireSession() {
  const { token, user } = useAtomValue(sessionAtom);
  const signedIn = Boolean(token && user);
  useSocket(signedIn ? user?.id : undefined);
  if (!signedIn) return <SignIn />;
  return (
    <>
      <Shell />
      <IdleWarning key={user?.id} />
    </>
  );
}

/** A screen for those who may. The server decides; this saves the others a page of errors. */
export function Allowed({ to, children }: { to: Permission; children: ReactNode }) {
  const { t } = useTranslation();
  if (useMay(to)) return children;
  return (
    <Page title={t('app.notYours.title')}>
      <EmptyState Icon={LockKeyIcon} title={t('app.notYours.title')} text={t('app.notYours.text')} />
    </Page>
  );
}

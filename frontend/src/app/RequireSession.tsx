import '../i18n/signedIn';
import { useAtomValue } from 'jotai';
import { Fragment, lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { IdleWarning } from '../auth/IdleWarning';
import { asEndReason, endedAtom, endSession, rememberPlace, session, sessionAtom, totpDueAtom } from '../auth/session';
import { watchEnds } from '../images/ends';
import { paths } from '../lib/paths';
import { queryClient } from '../lib/query';
import { connectSocket } from '../lib/socket';
import { store } from '../lib/store';
import { useClaimedDevice } from '../push/useDevice';
import { AskProof } from './AskProof';
import { socketEvents } from './socketEvents';

const RequiredApp = lazy(async () => ({ default: (await import('../security/RequiredApp')).RequiredApp }));

function useSocket(userId: string | undefined) {
  useEffect(() => {
    if (!userId) return;
    const close = connectSocket(
      { token: () => session().token, ended: (reason) => endSession(asEndReason(reason)) },
      socketEvents,
    );
    const stop = watchEnds(queryClient);
    return () => {
      stop();
      close();
    };
  }, [userId]);
}

/** Loads the code of toasts after the first paint, so that one appears at once, and also without a connection. */
function useToasts() {
  useEffect(() => void import('../lib/Toasts').catch(() => undefined), []);
}

function SignIn() {
  const { pathname, search, hash } = useLocation();
  // After a sign-out by the person, the next sign-in starts at the first page, not here.
  useEffect(() => {
    if (store.get(endedAtom) !== 'logout') rememberPlace(pathname + search + hash);
  }, [pathname, search, hash]);
  return <Navigate to={paths.login} replace />;
}

/** The parent of every protected screen. Without a session it redirects to /login. */
export function RequireSession({ children = <Outlet /> }: { children?: ReactNode }) {
  const { token, user } = useAtomValue(sessionAtom);
  const signedIn = Boolean(token && user);
  const locked = useAtomValue(totpDueAtom);
  const userId = signedIn && !locked ? user?.id : undefined;
  useSocket(userId);
  useToasts();
  useClaimedDevice(userId);
  if (!signedIn) return <SignIn />;
  if (locked) {
    return (
      <Suspense fallback={null}>
        <RequiredApp />
        <AskProof />
        <IdleWarning key={user?.id} />
      </Suspense>
    );
  }
  return (
    <>
      {/* A screen holds what its person chose and typed, so the next person gets a new one. */}
      <Fragment key={userId}>{children}</Fragment>
      <IdleWarning key={user?.id} />
      <AskProof />
    </>
  );
}

import { useAtomValue } from 'jotai';
import { useEffect } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { IdleWarning } from '../auth/IdleWarning';
import { asEndReason, endedAtom, endSession, rememberPlace, session, sessionAtom } from '../auth/session';
import { watchEnds } from '../images/ends';
import { queryClient } from '../lib/query';
import { connectSocket } from '../lib/socket';
import { store } from '../lib/store';
import { paths } from './paths';
import { Shell } from './Shell';
import { socketEvents } from './socketEvents';

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

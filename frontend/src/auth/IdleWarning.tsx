import { useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { send } from '../lib/http';
import { usePublicSettings } from '../lib/publicSettings';
import { onOpening } from '../ui/onOpening';
import { authCalls } from './calls';
import { watchIdle } from './idle';
import { endSession, idleMinutesAtom, session } from './session';
import { useLogout } from './useLogout';

const IdleDialog = onOpening(async () => (await import('./IdleDialog')).IdleDialog);

/** Returns the idle limit in ms. Stores it too, because /login shows it after the end of the session. */
function useIdleMs(): number {
  const minutes = usePublicSettings()['session.idleMinutes'];
  const remember = useSetAtom(idleMinutesAtom);
  useEffect(() => remember(minutes), [remember, minutes]);
  return minutes * 60_000;
}

/** Asks whether to stay signed in before the idle limit (see `warningMs`). At the limit it signs out in every tab. */
export function IdleWarning() {
  const [due, setDue] = useState(false);
  const logout = useLogout();
  const idleMs = useIdleMs();
  useEffect(
    () =>
      watchIdle(idleMs, {
        warn: setDue,
        over: () => {
          // The server ends an idle session by its own clock too; this call only ends it at once.
          const { token } = session();
          void send(authCalls.logout, { body: {} }, { token }).catch(() => undefined);
          endSession('idle');
        },
      }),
    [idleMs],
  );
  return <IdleDialog open={due} idleMs={idleMs} logout={logout} />;
}

import { userCalls } from '@lightbox/contract/users/calls.js';
import { useAtomValue } from 'jotai';
import { useEffect } from 'react';
import { userAtom } from '../auth/session';
import { send } from '../lib/http';
import { browserTimeZone } from '../lib/timeZone';

/** The account and the time zone that this browser saved last. */
const key = 'timeZone.saved';

/** Saves the time zone of this browser with the account: mails, quiet hours and the digest use it. */
export function useSavedTimeZone() {
  const id = useAtomValue(userAtom)?.id;
  const timeZone = browserTimeZone();
  useEffect(() => {
    const saved = `${id} ${timeZone}`;
    if (!id || localStorage.getItem(key) === saved) return;
    send(userCalls.updateProfile, { body: { timeZone } }, { background: true }).then(
      () => localStorage.setItem(key, saved),
      // It is saved in the next session.
      () => undefined,
    );
  }, [id, timeZone]);
}

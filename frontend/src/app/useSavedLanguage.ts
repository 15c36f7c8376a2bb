import { userCalls } from '@lightbox/contract/users/calls.js';
import { useAtomValue } from 'jotai';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { userAtom } from '../auth/session';
import { chosenLanguage, currentCode } from '../i18n';
import { send } from '../lib/http';

/** The account and the language that this browser saved last. */
const key = 'language.saved';

/** Saves the language that the person chose in this browser as the language of their mails. */
export function useSavedLanguage() {
  const { i18n } = useTranslation();
  const id = useAtomValue(userAtom)?.id;
  const { language } = i18n;
  useEffect(() => {
    const code = currentCode();
    if (!id || code !== language || code !== chosenLanguage()) return;
    const saved = `${id} ${code}`;
    if (localStorage.getItem(key) === saved) return;
    send(userCalls.updateProfile, { body: { language: code } }, { background: true }).then(
      () => localStorage.setItem(key, saved),
      // It is saved with the next change, or in the next session.
      () => undefined,
    );
  }, [id, language]);
}

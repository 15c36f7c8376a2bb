import { useTranslation } from 'react-i18next';
import { ApiError } from '../lib/http';

/** Returns a function that gives the text for a refused code, or undefined for other errors. */
export function useWrongCode(totp = false) {
  const { t } = useTranslation();
  return (error: unknown): string | undefined => {
    if (!(error instanceof ApiError)) return undefined;
    if (error.code === 'CODE_LOCKED') return t(totp ? 'auth.verify.totpLocked' : 'auth.verify.locked');
    if (error.status === 401) return t('auth.verify.late');
    if (error.code !== 'WRONG_CODE') return undefined;
    const left = error.details.triesLeft;
    return typeof left === 'number' ? t('auth.verify.wrongTries', { count: left }) : t('auth.verify.wrong');
  };
}

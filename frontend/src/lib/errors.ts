import { i18n } from '../i18n';
import { ApiError } from './http';

/** An error in the person's words: by its code, else the server's English, else the given fallback. */
export function errorText(error: unknown, fallback?: string): string {
  if (!(error instanceof ApiError)) return fallback ?? i18n.t('errors.UNKNOWN');
  if (error.errors.length) return error.errors.map(({ field, message }) => `${field}: ${message}`).join('\n');
  const key = `errors.${error.code}`;
  if (i18n.exists(key)) {
    const minutes = Math.max(1, Math.ceil((error.retryAfter ?? 60) / 60));
    return i18n.t(key as 'errors.UNKNOWN', { ...error.details, minutes, count: minutes });
  }
  return error.message || fallback || i18n.t('errors.UNKNOWN');
}

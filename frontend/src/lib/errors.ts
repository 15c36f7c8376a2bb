import { i18n } from '../i18n';
import { ApiError } from './http';

/** An error in the person's words: each field's fault, else by its code, else the server's English, else the fallback. */
export function errorText(error: unknown, fallback?: string): string {
  if (!(error instanceof ApiError)) return fallback ?? i18n.t('errors.UNKNOWN');
  if (error.errors.length) return error.errors.map(({ field, message }) => `${field}: ${message}`).join('\n');
  const count = Math.max(1, Math.ceil((error.retryAfter ?? 60) / 60));
  const key = `errors.${error.code}` as 'errors.UNKNOWN';
  if (error.code !== 'UNKNOWN' && i18n.exists(key, { count })) return i18n.t(key, { count });
  return error.message || fallback || i18n.t('errors.UNKNOWN');
}

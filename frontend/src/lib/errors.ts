import type { FieldError } from '@lightbox/contract/envelope.js';
import { currentCode, currentLanguage, i18n, said } from '../i18n';
import { isolate } from '../i18n/isolate';
import { ApiError } from './http';

/** Formats the error of a field that this screen does not show: the field has its name from the contract. */
export const fieldText = ({ field, message }: FieldError) =>
  `${isolate(field, currentLanguage().dir)}: ${said(message)}`;

/** Returns the message of a refused field, for the screen that shows it at the field. */
export const faultAt = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError ? error.errors.find((one) => one.field === field)?.message : undefined;

/**
 * Returns the text of an error in the person's language: the field errors, else the text of its code, else the server's
 * text (English only).
 */
export function errorText(error: unknown, fallback?: string): string {
  if (!(error instanceof ApiError)) return fallback ?? i18n.t('errors.UNKNOWN');
  if (error.errors.length) return error.errors.map(fieldText).join('\n');
  const count = Math.max(1, Math.ceil((error.retryAfter ?? 60) / 60));
  const key = `errors.${error.code}` as 'errors.UNKNOWN';
  if (error.code !== 'UNKNOWN' && i18n.exists(key, { count })) return i18n.t(key, { count });
  const english = currentCode() === 'en' ? error.message : '';
  return english || fallback || i18n.t('errors.UNKNOWN');
}

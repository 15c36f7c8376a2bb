import { type AuditRemark, auditRemarks } from '@lightbox/contract/audit/faults.js';
import { type ErrorCode, errors } from '@lightbox/contract/errors.js';
import { currentCode, i18n } from '../i18n';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';

const isRemark = (code: string): code is AuditRemark => (auditRemarks as readonly string[]).includes(code);

/** The sentence of a code, in the person's language; nothing for a word that is none. */
function sentenceOf(code: string): string | undefined {
  if (isRemark(code)) return i18n.t(`audit.remark.${code}`);
  if (!Object.hasOwn(errors, code)) return undefined;
  const [status, english] = errors[code as ErrorCode];
  // What the client may add in English, how long to wait say, was known at the time and is not in the log.
  return currentCode() === 'en' ? english : errorText(new ApiError(status, code, english), english);
}

/** Reasons of refusals are stable codes (`WRONG_CODE`, or `NOT_FOUND: 3, …` when counted): read as their sentences. */
export const reasonText = (reason: string): string =>
  reason.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (code) => {
    const known = sentenceOf(code);
    return known === undefined ? code : code === reason ? known : known.replace(/[.۔]$/, '');
  });

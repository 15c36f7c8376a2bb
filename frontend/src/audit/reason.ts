import { type AuditRemark, auditRemarks } from '@lightbox/contract/audit/faults.js';
import { type ErrorCode, errors } from '@lightbox/contract/errors.js';
import { currentCode, i18n } from '../i18n';
import { errorText } from '../lib/errors';
import { ApiError } from '../lib/http';

const isRemark = (code: string): code is AuditRemark => (auditRemarks as readonly string[]).includes(code);

/** Returns the sentence of a code in the language of the viewer; undefined for an unknown code. */
function sentenceOf(code: string): string | undefined {
  if (isRemark(code)) return i18n.t(`audit.remark.${code}`);
  if (!Object.hasOwn(errors, code)) return undefined;
  const [status, english] = errors[code as ErrorCode];
  // Some sentences contain details of the moment, such as the time to wait. The log does not store these.
  return currentCode() === 'en' ? english : errorText(new ApiError(status, code, english), english);
}

/** Replaces the codes in a reason (`WRONG_CODE`, or `NOT_FOUND: 3, …` when counted) with their sentences. */
export const reasonText = (reason: string): string =>
  reason.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (code) => {
    const known = sentenceOf(code);
    return known === undefined ? code : code === reason ? known : known.replace(/[.۔]$/, '');
  });

import { type ErrorCode, errors } from '@lightbox/contract/errors.js';

/** Reasons of refusals are stable codes (`WRONG_CODE`, or `NOT_FOUND: 3, …` when counted): read as their sentences. */
export const reasonText = (reason: string): string =>
  reason.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (code) => {
    const known = Object.hasOwn(errors, code) ? errors[code as ErrorCode][1] : undefined;
    return known === undefined ? code : code === reason ? known : known.replace(/\.$/, '');
  });

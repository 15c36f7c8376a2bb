import { isForeseeable, type Owner, readings } from '@lightbox/contract/auth/foreseeable.js';
import { texts } from '@lightbox/contract/texts.js';
import { fieldError } from '@lightbox/core/errors.js';
import { dictionary } from '@zxcvbn-ts/language-common';

/** Breached passwords, the commonest first, in lower case (MIT, © zxcvbn-ts). */
const commonest = dictionary['passwords-common'] as string[];
const common = new Set(commonest);
/** With a capital letter and "1" or "2024!" added, a common word satisfies every rule, but is guessed at once. */
const words = new Set(commonest.slice(0, 10_000));

const withoutTail = (password: string): string => password.replace(/[^\p{L}]{1,6}$/u, '');

/**
 * True for a common password, in upper or lower case. Also true when digits and signs were only added to satisfy a
 * rule, or replace the letters that they look like (NIST SP 800-63B-4, 3.1.1.2).
 */
export function isCommon(password: string): boolean {
  const plain = password.toLowerCase();
  const isWord = (letters: string) => letters.length > 2 && words.has(letters);
  return common.has(plain) || words.has(withoutTail(plain)) || readings(password).some(isWord);
}

/**
 * Returns the weakness of a password: it is one of the most common breached ones, or is made of facts about its owner
 * or the service. Null for none.
 */
export function weakness(password: string, owner: Owner): string | null {
  if (isCommon(password)) return texts.passwordCommon;
  return isForeseeable(password, owner) ? texts.passwordForeseeable : null;
}

/** Throws a field error when the password has a weakness. */
export function refuseWeak(field: string, password: string, owner: Owner): void {
  const fault = weakness(password, owner);
  if (fault) throw fieldError(field, fault);
}

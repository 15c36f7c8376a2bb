import { isForeseeable, type Owner, readings } from '@lightbox/contract/auth/foreseeable.js';
import { texts } from '@lightbox/contract/texts.js';
import { fieldError } from '@lightbox/core/errors.js';
import { dictionary } from '@zxcvbn-ts/language-common';

/** Breached passwords, the commonest first, in lower case (MIT, © zxcvbn-ts). */
const commonest = dictionary['passwords-common'] as string[];
const common = new Set(commonest);
/** With a capital and "1" or "2024!" behind it, a common word satisfies every rule and is guessed at once. */
const words = new Set(commonest.slice(0, 10_000));

const withoutTail = (password: string): string => password.replace(/[^\p{L}]{1,6}$/u, '');

/**
 * In whatever case, and also when digits and signs were only added to satisfy a rule, or stand for the letters they look
 * like (NIST SP 800-63B-4, 3.1.1.2).
 */
export function isCommon(password: string): boolean {
  const plain = password.toLowerCase();
  const isWord = (letters: string) => letters.length > 2 && words.has(letters);
  return common.has(plain) || words.has(withoutTail(plain)) || readings(password).some(isWord);
}

/** That the password heads the lists of breached ones, or is made of what is known of its owner and the service. */
export function weakness(password: string, owner: Owner): string | null {
  if (isCommon(password)) return texts.passwordCommon;
  return isForeseeable(password, owner) ? texts.passwordForeseeable : null;
}

/** Throws when it has such a weakness. */
export function refuseWeak(field: string, password: string, owner: Owner): void {
  const fault = weakness(password, owner);
  if (fault) throw fieldError(field, fault);
}

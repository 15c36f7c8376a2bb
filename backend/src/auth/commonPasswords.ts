import { texts } from '@lightbox/contract/texts.js';
import { fieldError } from '@lightbox/core/errors.js';
import { dictionary } from '@zxcvbn-ts/language-common';

/** Breached passwords, the commonest first, in lower case (MIT, © zxcvbn-ts). */
const commonest = dictionary['passwords-common'] as string[];
const common = new Set(commonest);
/** With a capital and "1" or "2024!" behind it, a common word satisfies every rule and is guessed at once. */
const words = new Set(commonest.slice(0, 10_000));

const withoutTail = (password: string): string => password.replace(/[^\p{L}]{1,6}$/u, '');

/** In whatever case, and also when digits and signs were only added to satisfy a rule (NIST SP 800-63B-4, 3.1.1.2). */
export function isCommon(password: string): boolean {
  const plain = password.toLowerCase();
  return common.has(plain) || words.has(withoutTail(plain));
}

/** Throws when the password heads the lists of breached ones. */
export function refuseCommon(field: string, password: string): void {
  if (isCommon(password)) throw fieldError(field, texts.passwordCommon);
}

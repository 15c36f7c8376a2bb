import { texts } from '@lightbox/contract/texts.js';
import { fieldError } from '@lightbox/core/errors.js';
import { dictionary } from '@zxcvbn-ts/language-common';

const common = new Set<string>(dictionary['passwords-common'] as string[]);

/** Throws when the password heads the lists of breached ones, in whatever case (NIST SP 800-63B-4, 3.1.1.2). */
export function refuseCommon(field: string, password: string): void {
  if (common.has(password.toLowerCase())) throw fieldError(field, texts.passwordCommon);
}

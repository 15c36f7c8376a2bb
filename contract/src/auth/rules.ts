import { limits } from '../limits.js';
import { texts } from '../texts.js';
import { isForeseeable, type Owner } from './foreseeable.js';

/** The rules of the public forms, without zod. The schemas and the forms both apply them. */

/** Accepts ASCII addresses, without a dot where mail servers refuse one: the same as `z.email()` by default. */
export const emailPattern =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
export const emailLength = 254;

/** Accepts ASCII digits only: digits of other scripts would not match the mailed code. */
export const codePattern = new RegExp(`^[0-9]{${limits.codeDigits}}$`);

/**
 * Accepts a recovery code as it was shown, or without the dash, or in lower case. It has no characters that people
 * confuse.
 */
export const recoveryCodePattern = /^[2-9A-HJ-NP-Z]{5}-?[2-9A-HJ-NP-Z]{5}$/i;

/** The requirements of a new password, by the names that screens tick off. */
export const passwordRules = {
  length: (password: string) => password.length >= limits.passwordMin,
  upper: (password: string) => /\p{Lu}/u.test(password),
  lower: (password: string) => /\p{Ll}/u.test(password),
  number: (password: string) => /\d/.test(password),
} as const;

export const isGoodPassword = (password: string): boolean => Object.values(passwordRules).every((met) => met(password));

/**
 * Returns the form in which addresses are stored and compared: lower case, so that an address has one account however
 * it is typed.
 */
export const asEmail = (typed: string): string => typed.trim().toLowerCase();

/** Returns the fault of a typed address, or undefined. */
export const emailFault = (typed: string): string | undefined => {
  const email = asEmail(typed);
  return email.length <= emailLength && emailPattern.test(email) ? undefined : texts.validEmail;
};

/** Returns the fault of a new password, or undefined. The list of common passwords is not checked here. */
export const passwordFault = (password: string, owner?: Owner): string | undefined => {
  if (password.length > limits.passwordMax) return `Must be at most ${limits.passwordMax} characters.`;
  if (!isGoodPassword(password)) return texts.passwordRule;
  return isForeseeable(password, owner) ? texts.passwordForeseeable : undefined;
};

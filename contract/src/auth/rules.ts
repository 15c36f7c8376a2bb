import { limits } from '../limits.js';
import { texts } from '../texts.js';
import { isForeseeable, type Owner } from './foreseeable.js';

/** The rules of the public forms, plain: the schemas apply them, and so do the forms, which do without zod. */

/** ASCII addresses, and no dot where mail servers refuse one: what `z.email()` takes by itself. */
export const emailPattern =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
export const emailLength = 254;

/** ASCII digits only: other scripts' digits would not match what was mailed. */
export const codePattern = new RegExp(`^[0-9]{${limits.codeDigits}}$`);

/** As it is written down, or without the dash, or in small letters: none of the characters that are taken for another. */
export const recoveryCodePattern = /^[2-9A-HJ-NP-Z]{5}-?[2-9A-HJ-NP-Z]{5}$/i;

/** What a new password must have, by the names that screens tick off. */
export const passwordRules = {
  length: (password: string) => password.length >= limits.passwordMin,
  upper: (password: string) => /\p{Lu}/u.test(password),
  lower: (password: string) => /\p{Ll}/u.test(password),
  number: (password: string) => /\d/.test(password),
} as const;

export const isGoodPassword = (password: string): boolean => Object.values(passwordRules).every((met) => met(password));

/** Kept and compared in lower case: one account for an address however it is typed. */
export const asEmail = (typed: string): string => typed.trim().toLowerCase();

/** What is wrong with an address as it was typed. */
export const emailFault = (typed: string): string | undefined => {
  const email = asEmail(typed);
  return email.length <= emailLength && emailPattern.test(email) ? undefined : texts.validEmail;
};

/** What is wrong with a password that is being chosen, as far as it shows without the list of common ones. */
export const passwordFault = (password: string, owner?: Owner): string | undefined => {
  if (password.length > limits.passwordMax) return `Must be at most ${limits.passwordMax} characters.`;
  if (!isGoodPassword(password)) return texts.passwordRule;
  return isForeseeable(password, owner) ? texts.passwordForeseeable : undefined;
};

import { limits } from '@lightbox/contract/limits.js';

const whole = limits.codeDigits;
/** Characters that people and programs put between the digits of a code. */
const between = '[\\s\\u200B-\\u200F\\u2066-\\u2069.\\-\\u2010-\\u2015]';
const spaced = `\\d(?:${between}*\\d){${whole - 1}}`;
/** One digit at a time, or two halves. */
const parted = `\\d(?:${between}\\d){${whole - 1}}|\\d{${whole / 2}}${between}{1,3}\\d{${whole / 2}}`;
const patterns = [
  // After the label of a mail: `Code: 685 569`.
  new RegExp(`\\bcode\\b[^\\d\\n]{0,20}(${spaced})(?!\\d)`, 'i'),
  new RegExp(`(?<![\\dA-Za-z])(\\d{${whole}})(?![\\dA-Za-z])`),
  new RegExp(`(?<![\\dA-Za-z])(${parted})(?![\\dA-Za-z])`),
];

/** Returns the text with the digits of Arabic, Persian and Urdu, and full-width digits, as `0` to `9`. */
const latinDigits = (text: string): string =>
  text.replace(/[\u0660-\u0669\u06F0-\u06F9\uFF10-\uFF19]/g, (digit) => String(digit.charCodeAt(0) & 0xf));

/** Returns the code in a text that a person copied, in any of its usual forms; else the first digits; else ''. */
export function codeIn(text: string): string {
  const plain = latinDigits(text);
  const found = patterns.map((pattern) => pattern.exec(plain)?.[1]).find(Boolean) ?? plain;
  return found.replace(/\D/g, '').slice(0, whole);
}

import { plain } from './plain.js';

/** Letters of Arabic and Urdu keyboards that people read as one. */
const letters = new Map(
  Object.entries({ ی: 'يىې', ک: 'ك', ہ: 'هھةۃە', ا: 'ٱ', ن: 'ں' }).flatMap(([to, variants]) =>
    [...variants].map((variant) => [variant, to] as const),
  ),
);
/** The zeros of the digits that Arabic and Urdu are written with. */
const zeros = [0x660, 0x6f0];

/**
 * Returns the text as searches compare it: without case and accents, and with one form of the letters and digits that
 * Arabic and Urdu write in several.
 */
export const folded = (text: string): string =>
  plain(text.normalize('NFKD'))
    .replace(/[\u0640\u200c\u200d]/g, '')
    .replace(/[\u0600-\u06ff]/g, (letter) => letters.get(letter) ?? digitOf(letter) ?? letter);

function digitOf(letter: string): string | undefined {
  const value = zeros.map((zero) => letter.charCodeAt(0) - zero).find((digit) => digit >= 0 && digit < 10);
  return value === undefined ? undefined : String(value);
}

import { plain } from '@lightbox/contract/plain.js';

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

/** Returns the folded words of a text. */
export const wordsOf = (text: string): string[] =>
  folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

interface Named {
  firstname?: string | undefined;
  lastname?: string | undefined;
  username: string;
  email: string;
}

/** Returns the words by which `search` finds a person, and the person's sort key in lists. */
export const searchFields = (user: Named): { words: string[]; sortKey: string } => ({
  words: [
    ...new Set(
      [user.firstname ?? '', user.lastname ?? '', user.username, user.email].flatMap((text) => [
        ...wordsOf(text),
        folded(text),
      ]),
    ),
  ].filter(Boolean),
  sortKey: plain(`${user.lastname ?? ''} ${user.firstname ?? ''}`.trim()),
});

/**
 * Returns a filter in which every term must begin a word. The index serves prefixes without a leading wildcard,
 * whatever characters they contain.
 */
export function searchFilter(search: string | undefined): { $and?: { words: RegExp }[] } {
  const terms = folded(search ?? '')
    .split(/\s+/)
    .filter(Boolean);
  if (terms.length === 0) return {};
  return { $and: terms.slice(0, 5).map((term) => ({ words: beginsWith(term) })) };
}

/** Returns a pattern that an index serves as a range. */
export const beginsWith = (term: string): RegExp => new RegExp(`^${term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`);

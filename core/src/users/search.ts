import { folded } from '@lightbox/contract/folded.js';
import { limits } from '@lightbox/contract/limits.js';
import { plain } from '@lightbox/contract/plain.js';

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
 * Returns a filter in which every word of the text must begin a word, whatever signs stand between them: “Ben, Maria”,
 * “anne-s”. An address stays whole, because the parts of an address are in many. The index serves prefixes without a
 * leading wildcard, whatever characters they contain.
 */
export function searchFilter(search: string | undefined): { $and?: { words: RegExp }[] } {
  const texts = folded(search ?? '')
    .split(/\s+/)
    .filter(Boolean);
  if (texts.length === 0) return {};
  const words = texts.flatMap((text) => (text.includes('@') ? [text] : wordsOf(text)));
  // Signs alone begin no word. Without any term the filter would find everybody.
  const terms = words.length > 0 ? words : texts;
  return { $and: terms.slice(0, limits.searchWords).map((term) => ({ words: beginsWith(term) })) };
}

/** Returns a pattern that an index serves as a range. */
export const beginsWith = (term: string): RegExp => new RegExp(`^${term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`);

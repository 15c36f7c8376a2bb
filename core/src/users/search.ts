import { folded } from '@lightbox/contract/folded.js';
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

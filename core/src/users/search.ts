/** Case- and accent-blind: `É` and `e` are the same letter to someone who searches. */
export const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

const words = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

interface Named {
  firstname?: string | undefined;
  lastname?: string | undefined;
  username: string;
  email: string;
}

/** What `search` finds a person by, and where they stand in lists. */
export const searchFields = (user: Named): { words: string[]; sortKey: string } => ({
  words: [
    ...new Set(
      [user.firstname ?? '', user.lastname ?? '', user.username, user.email].flatMap((text) => [
        ...words(text),
        plain(text),
      ]),
    ),
  ].filter(Boolean),
  sortKey: plain(`${user.lastname ?? ''} ${user.firstname ?? ''}`.trim()),
});

/** Every term must begin a word. Prefixes without a leading wildcard are served by the index, whatever characters they hold. */
export function searchFilter(search: string | undefined): { $and?: { words: RegExp }[] } {
  const terms = plain(search ?? '')
    .split(/\s+/)
    .filter(Boolean);
  if (terms.length === 0) return {};
  return {
    $and: terms.slice(0, 5).map((term) => ({ words: new RegExp(`^${term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`) })),
  };
}

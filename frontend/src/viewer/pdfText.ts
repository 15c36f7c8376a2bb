/** Returns the pages on which the text is found, without regard to case and spaces. */
export function pagesWith(texts: readonly string[], wanted: string): number[] {
  const plain = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  const needle = plain(wanted);
  if (!needle) return [];
  return texts.flatMap((text, i) => (plain(text).includes(needle) ? [i + 1] : []));
}

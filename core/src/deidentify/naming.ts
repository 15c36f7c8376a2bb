/** A part of this length is looked for anywhere in a text. */
const ANYWHERE = 4;
/** A part of this length is looked for as a word. Shorter ones are units, codes and words of many languages. */
const WORD = 3;
/** Parts of names that are common words. */
const PARTICLES = new Set('ben bin das del den der des dos ibn las los ten ter van von'.split(' '));
/** Scripts that put no spaces between words: there, two characters are a name, and one may be a family name. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]+$/u;
/** Controls other than spaces: the value is no text. */
const BINARY = /[^\P{Cc}\t\n\f\r]/u;
const BETWEEN = '[^\\p{L}\\p{N}]*';

const plain = (text: string): string => text.normalize('NFKC').toLowerCase();
const lengthOf = (text: string): number => [...text].length;

/** The words of a component of a name that have letters alone. */
const wordsOf = (component: string): string[] =>
  component.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => /^[\p{L}\p{M}]+$/u.test(word));

/**
 * Returns a test for texts that contain a name or a number of the patient. `names` are values of VR PN; `others` are values
 * with numbers.
 */
export function namingTest(names: readonly string[], others: readonly string[]): (text: string) => boolean {
  const parts = [...names, ...others].flatMap((value) => plain(value).split(/[\\^=\s]+/));
  const anywhere = new Set(parts.filter((part) => part.length >= ANYWHERE));
  const pattern = patternOf(names);
  return (text) => {
    const searched = plain(text);
    for (const part of anywhere) if (searched.includes(part)) return true;
    // Short words are found by chance in bytes that are no text.
    return pattern !== null && !BINARY.test(searched) && pattern.test(searched);
  };
}

/** Returns a pattern for short names, and for whole names whose parts are even shorter. */
function patternOf(names: readonly string[]): RegExp | null {
  const words = new Set<string>();
  const unspaced = new Set<string>();
  const add = (name: string, isUnspaced: boolean) => (isUnspaced ? unspaced : words).add(name);
  // Values, and the writings of each (PS3.5 §6.2.1.2).
  for (const person of names.flatMap((value) => plain(value).split(/[\\=]/))) {
    // Behind the middle name are titles.
    const [family = [], given = [], middle = []] = person.split('^').map(wordsOf);
    for (const word of [...family, ...given, ...middle]) {
      const length = lengthOf(word);
      if (UNSPACED.test(word)) add(word, length > 1);
      else if (length >= WORD && !PARTICLES.has(word)) add(word, false);
    }
    for (const whole of [
      [...family, ...given],
      [...given, ...family],
    ]) {
      const isUnspaced = whole.every((word) => UNSPACED.test(word));
      // Two initials are no name.
      if (whole.length > 1 && (isUnspaced || whole.every((word) => lengthOf(word) > 1)))
        add(whole.join(BETWEEN), isUnspaced);
    }
  }
  const any = [...unspaced];
  if (words.size > 0) any.push(`(?<![\\p{L}\\p{M}])(?:${[...words].join('|')})(?![\\p{L}\\p{M}])`);
  return any.length > 0 ? new RegExp(any.join('|'), 'u') : null;
}

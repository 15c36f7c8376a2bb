import type { Language } from './languages';

/** Letters that run against a page's direction; punctuation and digits beside them would follow them. */
const against: Record<Language['dir'], RegExp> = {
  ltr: /[\p{Script=Arabic}\p{Script=Hebrew}]/u,
  rtl: /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u,
};

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_DIRECTIONAL_ISOLATE = '\u2069';

/**
 * A name or caption as it goes into a sentence: of its own direction, so that the sentence's brackets and full stops stay
 * where they belong (Unicode UAX #9, 2.4).
 */
export const isolate = (value: string, dir: Language['dir']): string =>
  against[dir].test(value) ? `${FIRST_STRONG_ISOLATE}${value}${POP_DIRECTIONAL_ISOLATE}` : value;

import type { Language } from './languages';

/** Letters of the opposite direction. Punctuation and digits beside them would follow their direction. */
const against: Record<Language['dir'], RegExp> = {
  ltr: /[\p{Script=Arabic}\p{Script=Hebrew}]/u,
  rtl: /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u,
};

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_DIRECTIONAL_ISOLATE = '\u2069';

/**
 * Returns a name or caption for use in a sentence. An isolate gives it its own direction, so that the brackets and full
 * stops of the sentence stay in place (Unicode UAX #9, 2.4).
 */
export const isolate = (value: string, dir: Language['dir']): string =>
  against[dir].test(value) ? `${FIRST_STRONG_ISOLATE}${value}${POP_DIRECTIONAL_ISOLATE}` : value;

import type { en } from './en';

/** A language's words: the shape of English. A key that is not there yet reads in English. */
export interface LanguageFile {
  texts: Words<typeof en>;
  /** The contract's English sentences about single fields, in this language. */
  sentences: Record<string, string>;
}
/** Tags, say: of any number in any language. */
type List = readonly string[];
/** Languages may have other plural forms than English, so further keys are welcome. */
type Words<T> = { [K in keyof T]?: T[K] extends string ? string : T[K] extends List ? List : Words<T[K]> } & {
  [further: string]: string | List | Words<object> | undefined;
};

export interface Language {
  /** In its own words, as its readers look for it. */
  name: string;
  dir: 'ltr' | 'rtl';
  /** Of dates and numbers. */
  locale: string;
  /** Its words, in a chunk of their own; English comes with the app. */
  load?: () => Promise<LanguageFile>;
}

/** Every language of the product, in the order of the switch. */
export const languages: Record<string, Language> & { en: Language } = {
  // Day before month in English too: 04/05 must not mean two dates in one clinic.
  en: { name: 'English', dir: 'ltr', locale: 'en-GB' },
  ur: { name: 'اردو', dir: 'rtl', locale: 'ur-PK', load: async () => (await import('./ur')).ur },
};

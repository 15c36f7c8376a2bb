import type { LanguageFile } from './languageFile';

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

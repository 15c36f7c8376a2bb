import type { LanguageCode } from '@lightbox/contract/languages.js';
import type { LanguageFile } from './languageFile';

export interface Language {
  /** The name of the language in that language. */
  name: string;
  dir: 'ltr' | 'rtl';
  /** The locale of dates and numbers. */
  locale: string;
  /** Loads the texts, which are a chunk of their own. English is part of the app. */
  load?: () => Promise<LanguageFile>;
}

/** Every language of the product, in the order of the switch. */
export const languages: Record<string, Language> & Record<LanguageCode, Language> = {
  // The day is before the month in English too: 04/05 must not mean two dates in one clinic.
  en: { name: 'English', dir: 'ltr', locale: 'en-GB' },
  ur: { name: 'اردو', dir: 'rtl', locale: 'ur-PK', load: async () => (await import('./ur')).ur },
};

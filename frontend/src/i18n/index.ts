import { type LanguageCode, languageCodes } from '@lightbox/contract/languages.js';
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { en } from './en';
import { first } from './en/first';
import { isolate } from './isolate';
import { type Language, languages } from './languages';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: first } },
  // React escapes the text itself. Values in a sentence are isolated, so that they keep their own direction.
  interpolation: { escapeValue: true, escape: (value) => isolate(String(value), currentLanguage().dir) },
});

export { i18next as i18n };

/**
 * The language of the screens belongs to the browser, because it is needed before the sign-in. The account has a copy for
 * its mails (`app/useSavedLanguage.ts`).
 */
const key = 'language';

export const currentCode = (): LanguageCode => languageCodes.find((code) => code === i18next.resolvedLanguage) ?? 'en';
export const currentLanguage = (): Language => languages[currentCode()] ?? languages.en;

/** Switches the whole page to a language: texts, direction, dates and numbers. */
async function show(code: string) {
  const language = languages[code];
  if (!language) return;
  if (language.load && !i18next.hasResourceBundle(code, 'translation')) {
    const { texts, sentences } = await language.load();
    i18next.addResourceBundle(code, 'translation', texts);
    i18next.addResourceBundle(code, 'sentences', sentences);
  }
  // Set the direction before the texts change, so that every component renders them with the new direction.
  document.documentElement.lang = code;
  document.documentElement.dir = language.dir;
  await i18next.changeLanguage(code);
}

/** Returns the language that was chosen in this browser; null when nobody chose one. */
export function chosenLanguage(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Switches to a language and stores it in this browser. */
export async function chooseLanguage(code: string) {
  await show(code);
  try {
    localStorage.setItem(key, code);
  } catch {
    // The browser stores nothing: the choice lasts until the page is closed.
  }
}

/** Switches to the language stored in this browser. The page stays in English if it cannot be loaded. */
export async function recallLanguage() {
  try {
    await show(chosenLanguage() ?? 'en');
  } catch {
    await show('en');
  }
}

/** Returns a sentence of the contract in the current language, and any other text unchanged. */
export const said = (sentence: string): string =>
  i18next.getResource(currentCode(), 'sentences', sentence, { keySeparator: false }) ?? sentence;

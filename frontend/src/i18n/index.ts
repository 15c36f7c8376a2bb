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
  // React escapes what it draws; what is set into a sentence keeps its own direction.
  interpolation: { escapeValue: true, escape: (value) => isolate(String(value), currentLanguage().dir) },
});

export { i18next as i18n };

/** The browser's choice, not the person's: it is there before anybody signs in. */
const key = 'language';

export const currentCode = (): string => i18next.resolvedLanguage ?? 'en';
export const currentLanguage = (): Language => languages[currentCode()] ?? languages.en;

/** Turns the whole page to a language: words, direction, dates and numbers. */
async function show(code: string) {
  const language = languages[code];
  if (!language) return;
  if (language.load && !i18next.hasResourceBundle(code, 'translation')) {
    const { texts, sentences } = await language.load();
    i18next.addResourceBundle(code, 'translation', texts);
    i18next.addResourceBundle(code, 'sentences', sentences);
  }
  // Before the words change, so that whatever is drawn with them finds the direction already turned.
  document.documentElement.lang = code;
  document.documentElement.dir = language.dir;
  await i18next.changeLanguage(code);
}

/** Turns to a language and keeps it for this browser. */
export async function chooseLanguage(code: string) {
  await show(code);
  try {
    localStorage.setItem(key, code);
  } catch {
    // A browser that keeps nothing: it lasts until the page is closed.
  }
}

/** The language this browser chose before. One that cannot be loaded now leaves the page in English. */
export async function recallLanguage() {
  try {
    await show(localStorage.getItem(key) ?? 'en');
  } catch {
    await show('en');
  }
}

/** A sentence of the contract in the person's language; any other text comes back as it is. */
export const said = (sentence: string): string =>
  i18next.getResource(currentCode(), 'sentences', sentence, { keySeparator: false }) ?? sentence;

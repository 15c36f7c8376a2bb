/** The languages of the product, by their BCP 47 codes. Screens: `frontend/src/i18n`. Mails: `workers/src/mail`. */
export const languageCodes = ['en', 'ur'] as const;
export type LanguageCode = (typeof languageCodes)[number];

import type { LanguageCode } from '@lightbox/contract/languages.js';
import type { MailTemplate } from '@lightbox/core/mail/mailTemplates.js';
import { english, words as englishWords } from './english.js';
import type { Clinic, MailFacts, MailText, MailWords, Templates } from './mailText.js';
import { urdu, words as urduWords } from './urdu.js';

/** Every mail in every language: a missing text does not compile. */
export const languages: Record<LanguageCode, { templates: Templates; words: MailWords }> = {
  en: { templates: english, words: englishWords },
  ur: { templates: urdu, words: urduWords },
};

export const textOf = (language: LanguageCode, template: MailTemplate, facts: MailFacts, clinic: Clinic): MailText =>
  languages[language].templates[template](
    { code: '', shares: [], link: '', reason: '', counts: {}, reviews: false, ...facts },
    clinic,
  );

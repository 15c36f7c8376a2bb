import { type LanguageCode, languageCodes } from '@lightbox/contract/languages.js';
import { dateIn } from '@lightbox/contract/notifications/clock.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import type { Progress } from './images.js';

const english = {
  title: 'Your data',
  made: 'Made on',
  text: 'This folder has a copy of your data. Keep it in a safe place: it is not encrypted.',
  files: 'Files',
  profile: 'Your profile',
  images: 'Your images',
  messages: 'Your messages',
  log: 'The log: your actions, and actions of others with your data',
  shares: 'Shares that you received and gave',
  annotations: 'Your measurements and arrows on images',
  access: 'Your personal tokens, webhooks and linked logins, without their secrets',
  consents: 'Your answers about analyses of your images',
  file: 'File',
  caption: 'Caption',
  added: 'Added',
  owner: 'Added by',
  noImages: 'There are no images that you may download.',
  leftOut: 'Images that are not here, because you may not download them any more:',
};
const urdu: typeof english = {
  title: 'آپ کا ڈیٹا',
  made: 'بننے کی تاریخ',
  text: 'اس فولڈر میں آپ کے ڈیٹا کی نقل ہے۔ اسے محفوظ جگہ رکھیں: یہ خفیہ نہیں کی گئی۔',
  files: 'فائلیں',
  profile: 'آپ کا پروفائل',
  images: 'آپ کی تصاویر',
  messages: 'آپ کے پیغامات',
  log: 'لاگ: آپ کے عمل، اور آپ کے ڈیٹا پر دوسروں کے عمل',
  shares: 'آپ کو ملنے والی اور آپ کی کی ہوئی شیئرز',
  annotations: 'تصاویر پر آپ کی پیمائشیں اور تیر',
  access: 'آپ کے ذاتی ٹوکن، ویب ہُک اور جڑے ہوئے لاگ اِن، ان کے رازوں کے بغیر',
  consents: 'آپ کی تصاویر کے تجزیے کی اجازت کے بارے میں آپ کے جواب',
  file: 'فائل',
  caption: 'عنوان',
  added: 'شامل ہوئی',
  owner: 'شامل کرنے والا',
  noImages: 'ایسی کوئی تصویر نہیں جسے آپ ڈاؤن لوڈ کر سکتے ہوں۔',
  leftOut: 'یہ تصاویر یہاں نہیں، کیونکہ آپ انہیں اب ڈاؤن لوڈ نہیں کر سکتے:',
};
const languages: Record<LanguageCode, { words: typeof english; dir: 'ltr' | 'rtl' }> = {
  en: { words: english, dir: 'ltr' },
  ur: { words: urdu, dir: 'rtl' },
};
const languageOf = (language: LanguageCode | undefined) => language ?? languageCodes[0];
export const wordsOf = (language: LanguageCode | undefined) => languages[languageOf(language)].words;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Names, captions and messages are typed by other people, and must not be read as HTML. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{text-align:start;padding:.35rem .6rem;border-bottom:1px solid #ccc;overflow-wrap:anywhere}article{border-bottom:1px solid #ccc}.text{white-space:pre-wrap}time{color:#555;font-size:.85em}';

/** The policy forbids scripts, forms and requests: the page is opened from a disk. */
export function pageStart(title: string, language: LanguageCode | undefined): string {
  const code = languageOf(language);
  return `<!doctype html>
<html lang="${code}" dir="${languages[code].dir}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style></head>
<body><h1>${escaped(title)}</h1>
`;
}
export const pageEnd = '</body></html>\n';

interface Facts {
  profile: User;
  progress: Progress;
  clinic: string;
  now: Date;
  /** Dates are those of this zone. */
  timeZone: string;
}

/** Writes the page that leads to all other files of the zip. */
export async function* indexPage(
  { profile, progress, clinic, now, timeZone }: Facts,
  language: LanguageCode | undefined,
): AsyncGenerator<string> {
  const words = wordsOf(language);
  const link = (file: string, text: string) => `<li><a href="${file}">${file}</a>: ${escaped(text)}</li>`;
  yield pageStart(clinic ? `${words.title} · ${clinic}` : words.title, language);
  yield `<p dir="auto"><b>${escaped(`${profile.firstname} ${profile.lastname}`.trim())}</b> · ${escaped(profile.email)}</p>
<p>${escaped(words.made)} ${dateIn(now, timeZone)}. ${escaped(words.text)}</p>
<h2>${escaped(words.files)}</h2><ul>
${link('profile.json', words.profile)}
${link('images.json', words.images)}
${link('messages.html', words.messages)}
${link('messages.json', words.messages)}
${link('log.csv', words.log)}
${link('log.json', words.log)}
${link('shares.json', words.shares)}
${link('annotations.json', words.annotations)}
${link('access.json', words.access)}
${profile.role.name === 'patient' ? link('consents.json', words.consents) : ''}
</ul><h2>${escaped(words.images)}</h2>
`;
  if (progress.sent.length === 0) yield `<p>${escaped(words.noImages)}</p>\n`;
  else {
    const heads = [words.file, words.caption, words.added, words.owner];
    yield `<table><thead><tr>${heads.map((head) => `<th>${escaped(head)}</th>`).join('')}</tr></thead><tbody>\n`;
    for (const { file, caption, addedAt, owner } of progress.sent) {
      yield `<tr><td><a href="${file}" dir="ltr">${file}</a></td><td dir="auto">${escaped(caption)}</td><td>${dateIn(new Date(addedAt), timeZone)}</td><td dir="auto">${escaped(owner)}</td></tr>\n`;
    }
    yield '</tbody></table>\n';
  }
  if (progress.leftOut.length > 0) {
    yield `<p>${escaped(words.leftOut)} ${progress.leftOut.map(({ id }) => id).join(', ')}</p>\n`;
  }
  yield pageEnd;
}

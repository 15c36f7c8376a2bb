import { auditActionNames } from '@lightbox/contract/audit/actions.js';
import { errors } from '@lightbox/contract/errors.js';
import { permissions } from '@lightbox/contract/permissions.js';
import { texts } from '@lightbox/contract/texts.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { errorText } from '../lib/errors';
import * as format from '../lib/format';
import { ApiError } from '../lib/http';
import { en } from './en';
import { chooseLanguage, i18n, recallLanguage, said } from './index';
import { languages } from './languages';

/** The features that every language translates. A new feature is in English at first, and is added here with its texts. */
const translated = [
  'common',
  'time',
  'errors',
  'app',
  'landing',
  'auth',
  'users',
  'profile',
  'images',
  'uploads',
  'studies',
  'sharing',
  'guests',
  'requests',
  'info',
  'shareImage',
  'analysis',
  'messages',
  'notifications',
  'push',
  'audit',
  'roles',
  'settings',
  'overview',
  'security',
  'viewer',
  'webhooks',
];
/** Groups that get a key with every new screen. Their translation may follow later. */
const growing = ['app.menu.', 'app.tab.'];

const plural = /_(zero|one|two|few|many|other)$/;

/** Returns every text by its path, and a list as one text. A path is a list, because keys may contain dots. */
function flat(node: object, path: string[] = []): Map<string, string> {
  return new Map(
    Object.entries(node).flatMap(([key, value]) =>
      typeof value === 'string' || Array.isArray(value)
        ? [[[...path, key].join('.'), String(value)] as const]
        : [...flat(value, [...path, key])],
    ),
  );
}

/** Returns the placeholders of a text: `{{name}}`, and the tags that `Said` renders. */
const placeholders = (text: string) =>
  [...text.matchAll(/{{\s*(\w+).*?}}|<(\w+)>/g)].map(([, value, tag]) => value ?? `<${tag}>`).sort();
const unique = (list: string[]) => [...new Set(list)];

const english = flat(en);
const others = Object.entries(languages).filter(([, { load }]) => load);

describe.each(others)('the language %s', async (code, { load, locale }) => {
  const file = (await load?.()) ?? { texts: {}, sentences: {} };
  const words = flat(file.texts);
  const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;

  const missing = [...english.keys()].filter((key) => {
    if (!plural.test(key)) return !words.has(key);
    const stem = key.replace(plural, '');
    const needed = key.endsWith('_zero') ? [key] : forms.map((form) => `${stem}_${form}`);
    return needed.some((form) => !words.has(form));
  });

  it('Every text of every translated feature exists.', () => {
    const excused = (key: string) =>
      !translated.includes(key.split('.')[0] ?? '') || growing.some((start) => key.startsWith(start));
    const later = missing.filter(excused);
    // biome-ignore lint/suspicious/noConsole: lists the missing texts without a failure.
    if (later.length) console.warn(`Not yet in ${code}: ${later.join(', ')}`);
    expect(missing.filter((key) => !excused(key))).toEqual([]);
  });

  it('Each text has the same placeholders as the English one.', () => {
    const differing = [...words].filter(([key, text]) => {
      const source = english.get(key) ?? english.get(key.replace(plural, '_other'));
      if (source === undefined) return false;
      // The form for one may leave the number out.
      const left = (one: string) =>
        unique(placeholders(one)).filter((name) => name !== 'count' || !key.endsWith('_one'));
      return left(source).join() !== left(text).join();
    });
    expect(differing).toEqual([]);
  });

  it('Every error code of the contract has a text.', () => {
    const unworded = Object.keys(errors).filter(
      (name) => !words.has(`errors.${name}`) && !words.has(`errors.${name}_other`),
    );
    expect(unworded).toEqual([]);
  });

  it('Every sentence of the contract about a field has a translation.', () => {
    const ofFields = [
      texts.passwordRule,
      texts.passwordCommon,
      texts.passwordForeseeable,
      texts.validEmail,
      texts.validCode,
      texts.captionRequired,
    ];
    expect(ofFields.filter((sentence) => !file.sentences[sentence])).toEqual([]);
  });
});

it('Every permission, audit action and audit area has a text.', () => {
  const keys = [
    ...Object.keys(permissions).map((name) => `roles.may.${name.replace('.', '_')}`),
    ...auditActionNames.map((action) => `audit.action.${action.replace('.', '_')}`),
    ...auditActionNames.map((action) => `audit.area.${action.split('.')[0]}`),
  ];
  expect(unique(keys).filter((key) => !english.has(key))).toEqual([]);
});

it('No text has the word “e-mail”, which narrow screens break after its hyphen.', () => {
  const sentences = [
    ...english.values(),
    ...Object.values(errors).map(([, message]) => message),
    JSON.stringify(texts),
  ];
  expect(sentences.filter((sentence) => /\be-mail/i.test(sentence))).toEqual([]);
});

describe('a chosen language', () => {
  afterEach(() => chooseLanguage('en'));

  it('A chosen language sets the texts and the direction of the page, and a stored one is restored.', async () => {
    await chooseLanguage('ur');
    expect(document.documentElement).toMatchObject({ lang: 'ur', dir: 'rtl' });
    expect(i18n.t('app.logout')).toBe('لاگ آؤٹ');
    localStorage.setItem('language', 'ur');
    await chooseLanguage('en');
    expect(document.documentElement).toMatchObject({ lang: 'en', dir: 'ltr' });
    localStorage.setItem('language', 'ur');
    await recallLanguage();
    expect(document.documentElement.dir).toBe('rtl');
  });

  it('An unknown language or a missing key falls back to English.', async () => {
    localStorage.setItem('language', 'xx');
    await recallLanguage();
    expect(i18n.resolvedLanguage).toBe('en');
    await chooseLanguage('ur');
    i18n.addResource('en', 'translation', 'later.title', 'Not yet translated');
    expect(i18n.t('later.title' as 'app.logout')).toBe('Not yet translated');
  });

  it('A language uses its own plural forms.', async () => {
    await chooseLanguage('ur');
    expect(i18n.t('messages.unread', { count: 1 })).toBe('1 نیا پیغام');
    expect(i18n.t('messages.unread', { count: 3 })).toBe('3 نئے پیغامات');
  });

  it('Errors are translated by code and faults by sentence, and the server’s English is never shown.', async () => {
    await chooseLanguage('ur');
    expect(errorText(new ApiError(409, 'LAST_ADMIN', errors.LAST_ADMIN[1]))).toBe(
      'آخری فعال منتظم کو ہٹایا نہیں جا سکتا۔',
    );
    expect(errorText(new ApiError(418, 'TEAPOT', 'I am a teapot.'), 'نہیں ہو سکا۔')).toBe('نہیں ہو سکا۔');
    expect(said(texts.validEmail)).toBe('براہِ کرم درست ای میل درج کریں۔');
    expect(said('Something of a person')).toBe('Something of a person');
  });
});

describe('dates, numbers and sizes', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    return chooseLanguage('en');
  });
  const at = new Date(2026, 10, 4, 14, 5);

  it('Dates, numbers and sizes are formatted in English.', () => {
    expect(format.formatDate(at)).toBe('4 Nov 2026');
    expect(format.formatDateTime(at)).toBe('4 Nov 2026, 14:05');
    expect(format.formatNumber(12345)).toBe('12,345');
    expect(format.formatBytes(2_500_000)).toBe('2.4 MB');
    expect(format.formatSpan(80 * 60_000)).toBe('1 h 20 min');
    expect(format.formatBirthday('1990-05-04')).toMatch(/4 May,? 1990/);
  });

  it('Times follow a person into another time zone.', () => {
    const noon = Date.UTC(2026, 10, 4, 12);
    vi.stubEnv('TZ', 'Asia/Karachi');
    expect(format.formatTime(noon)).toBe('17:00');
    vi.stubEnv('TZ', 'America/Los_Angeles');
    expect(format.formatTime(noon)).toBe('04:00');
  });

  it('Dates, numbers and sizes are formatted in Urdu, with the Latin digits of codes and phone numbers.', async () => {
    await chooseLanguage('ur');
    expect(format.formatDate(at)).toBe('4 نومبر، 2026');
    expect(format.formatLongDay(at)).toContain('بدھ');
    expect(format.formatTime(at)).toBe('14:05');
    expect(format.formatPercent(0.42)).toContain('42');
    expect(format.formatSpan(80 * 60_000)).toBe('1 گھنٹے 20 منٹ');
    expect(format.formatBirthday('1990-05-04')).toContain('مئی');
    // In a size the number stays before its unit.
    expect(format.formatBytes(2_500_000)).toBe('\u20662.4 MB\u2069');
    // The date on an image is always English, as scanners print it.
    expect(format.formatFilmDate(at)).toBe('04 NOV 2026');
  });
});

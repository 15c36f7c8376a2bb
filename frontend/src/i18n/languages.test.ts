import { auditActionNames } from '@lightbox/contract/audit/actions.js';
import { errors } from '@lightbox/contract/errors.js';
import { permissions } from '@lightbox/contract/permissions.js';
import { texts } from '@lightbox/contract/texts.js';
import { afterEach, describe, expect, it } from 'vitest';
import { errorText } from '../lib/errors';
import * as format from '../lib/format';
import { ApiError } from '../lib/http';
import { en } from './en';
import { chooseLanguage, i18n, recallLanguage, said } from './index';
import { languages } from './languages';

/** The features whose words every language has. A newer one reads in English until its words come, and is listed here then. */
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
  'sharing',
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
];
/** Grow with every new screen, which brings its own words later. */
const growing = ['app.menu.', 'app.tab.'];

const plural = /_(zero|one|two|few|many|other)$/;

/** Every text by its path, a list of words as one text; the path is a list, for keys may have dots. */
function flat(node: object, path: string[] = []): Map<string, string> {
  return new Map(
    Object.entries(node).flatMap(([key, value]) =>
      typeof value === 'string' || Array.isArray(value)
        ? [[[...path, key].join('.'), String(value)] as const]
        : [...flat(value, [...path, key])],
    ),
  );
}

/** What a text leaves open: `{{name}}`, and the tags that `Said` draws. */
const open = (text: string) =>
  [...text.matchAll(/{{\s*(\w+).*?}}|<(\w+)>/g)].map(([, value, tag]) => value ?? `<${tag}>`).sort();
const unique = (list: string[]) => [...new Set(list)];

const english = flat(en);
const others = Object.entries(languages).filter(([, { load }]) => load);

describe.each(others)('%s', async (code, { load, locale }) => {
  const file = (await load?.()) ?? { texts: {}, sentences: {} };
  const words = flat(file.texts);
  const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;

  const missing = [...english.keys()].filter((key) => {
    if (!plural.test(key)) return !words.has(key);
    const stem = key.replace(plural, '');
    const needed = key.endsWith('_zero') ? [key] : forms.map((form) => `${stem}_${form}`);
    return needed.some((form) => !words.has(form));
  });

  it('has every text of every translated feature', () => {
    const excused = (key: string) =>
      !translated.includes(key.split('.')[0] ?? '') || growing.some((start) => key.startsWith(start));
    const later = missing.filter(excused);
    // biome-ignore lint/suspicious/noConsole: a list to work from, and no failure.
    if (later.length) console.warn(`Not yet in ${code}: ${later.join(', ')}`);
    expect(missing.filter((key) => !excused(key))).toEqual([]);
  });

  it('leaves the same places open', () => {
    const differing = [...words].filter(([key, text]) => {
      const source = english.get(key) ?? english.get(key.replace(plural, '_other'));
      if (source === undefined) return false;
      // "One" may be said without its number.
      const left = (one: string) => unique(open(one)).filter((name) => name !== 'count' || !key.endsWith('_one'));
      return left(source).join() !== left(text).join();
    });
    expect(differing).toEqual([]);
  });

  it('words every failure of the contract by its code', () => {
    const unworded = Object.keys(errors).filter(
      (name) => !words.has(`errors.${name}`) && !words.has(`errors.${name}_other`),
    );
    expect(unworded).toEqual([]);
  });

  it('knows the sentences that the contract says of fields', () => {
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

it('every permission and everything in the audit log has words', () => {
  const keys = [
    ...Object.keys(permissions).map((name) => `roles.may.${name.replace('.', '_')}`),
    ...auditActionNames.map((action) => `audit.action.${action.replace('.', '_')}`),
    ...auditActionNames.map((action) => `audit.area.${action.split('.')[0]}`),
  ];
  expect(unique(keys).filter((key) => !english.has(key))).toEqual([]);
});

describe('a chosen language', () => {
  afterEach(() => chooseLanguage('en'));

  it('turns the page, and is recalled by this browser', async () => {
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

  it('falls back to English: an unknown one, a key that is not there', async () => {
    localStorage.setItem('language', 'xx');
    await recallLanguage();
    expect(i18n.resolvedLanguage).toBe('en');
    await chooseLanguage('ur');
    i18n.addResource('en', 'translation', 'later.title', 'Not yet translated');
    expect(i18n.t('later.title' as 'app.logout')).toBe('Not yet translated');
  });

  it('counts in its own plural forms', async () => {
    await chooseLanguage('ur');
    expect(i18n.t('messages.unread', { count: 1 })).toBe('1 نیا پیغام');
    expect(i18n.t('messages.unread', { count: 3 })).toBe('3 نئے پیغامات');
  });

  it('words failures by code and faults by sentence, and never shows the server’s English', async () => {
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
  afterEach(() => chooseLanguage('en'));
  const at = new Date(2026, 10, 4, 14, 5);

  it('are English', () => {
    expect(format.formatDate(at)).toBe('4 Nov 2026');
    expect(format.formatDateTime(at)).toBe('4 Nov 2026, 14:05');
    expect(format.formatNumber(12345)).toBe('12,345');
    expect(format.formatBytes(2_500_000)).toBe('2.4 MB');
    expect(format.formatSpan(80 * 60_000)).toBe('1 h 20 min');
    expect(format.formatBirthday('1990-05-04')).toMatch(/4 May,? 1990/);
  });

  it('are Urdu, with the digits that codes and phones have too', async () => {
    await chooseLanguage('ur');
    expect(format.formatDate(at)).toBe('4 نومبر، 2026');
    expect(format.formatLongDay(at)).toContain('بدھ');
    expect(format.formatTime(at)).toBe('14:05');
    expect(format.formatPercent(0.42)).toContain('42');
    expect(format.formatSpan(80 * 60_000)).toBe('1 گھنٹے 20 منٹ');
    expect(format.formatBirthday('1990-05-04')).toContain('مئی');
    // A size keeps its order: the number, then its unit.
    expect(format.formatBytes(2_500_000)).toBe('\u20662.4 MB\u2069');
    // What is written on a film is the film's.
    expect(format.formatFilmDate(at)).toBe('04 NOV 2026');
  });
});

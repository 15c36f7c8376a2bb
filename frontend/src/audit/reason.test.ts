import { afterEach, expect, it } from 'vitest';
import { chooseLanguage, i18n } from '../i18n';
import { reasonText } from './reason';

afterEach(() => chooseLanguage('en'));

it('A code in a reason becomes its sentence, without a full stop when counted, and other words stay.', () => {
  expect(reasonText('NOT_FOUND')).toMatch(/\.$/);
  expect(reasonText('NOT_FOUND: 3, FORBIDDEN: 1')).toMatch(/^[^.]+: 3, You don’t have permission to do this: 1$/);
  expect(reasonText('csv')).toBe('csv');
  expect(reasonText('CSV')).toBe('CSV');
});

it('A reason is in the language of the viewer.', async () => {
  await chooseLanguage('ur');
  const words = i18n.t('errors.FORBIDDEN' as 'errors.UNKNOWN');
  expect(reasonText('FORBIDDEN')).toBe(words);
  expect(words).not.toMatch(/[A-Za-z]/);
  expect(reasonText('NOT_FOUND: 3, FORBIDDEN: 1')).toBe(
    `${i18n.t('errors.NOT_FOUND' as 'errors.UNKNOWN').replace(/۔$/, '')}: 3, ${words.replace(/۔$/, '')}: 1`,
  );
});

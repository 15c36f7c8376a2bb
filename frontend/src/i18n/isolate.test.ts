import { afterEach, describe, expect, it } from 'vitest';
import { chooseLanguage, i18n } from './index';
import { isolate } from './isolate';

afterEach(() => chooseLanguage('en'));

describe('a value in a sentence', () => {
  it.each([
    ['Left hand, after fall', 'rtl', '\u2068Left hand, after fall\u2069'],
    ['حنا فاروق', 'ltr', '\u2068حنا فاروق\u2069'],
    ['حنا فاروق', 'rtl', 'حنا فاروق'],
    ['Hina Farooq', 'ltr', 'Hina Farooq'],
    ['24', 'rtl', '24'],
  ] as const)(
    'The value “%s” on a page with the direction %s is isolated if its letters run the other way.',
    (value, dir, expected) => {
      expect(isolate(value, dir)).toBe(expected);
    },
  );

  it('A translation isolates its values.', async () => {
    await chooseLanguage('ur');
    expect(i18n.t('sharing.share.title', { caption: 'Left hand (after fall)' })).toContain(
      '\u2068Left hand (after fall)\u2069',
    );
  });
});

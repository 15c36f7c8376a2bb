import type { AnalysisResult } from '@lightbox/contract/analysis/schemas.js';
import { inEnglish, type Sentence, sentence } from '@lightbox/contract/analysis/sentences.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseLanguage } from '../i18n';
import { worded } from './worded';

const result = (description: Sentence[], warnings: Sentence[], more: Partial<AnalysisResult> = {}): AnalysisResult => ({
  imageId: '1'.repeat(24),
  timestamp: '2026-03-01T12:00:00Z',
  review: { state: 'draft' },
  stale: false,
  description: description.map(inEnglish).join(' '),
  differentialDiagnosis: [],
  treatment: [],
  followUp: [],
  warnings: warnings.map(inEnglish),
  confidence: null,
  assessed: false,
  provider: 'local',
  model: 'measurements-1',
  said: { description, warnings },
  ...more,
});
const ct = result(
  [
    sentence('STUDY_PART', { modality: 'CT', part: 'chest' }),
    sentence('MADE_YEARS', { date: '2024-02-29', count: 2 }),
    sentence('GREY', { width: 300, height: 200, count: 16 }),
  ],
  [sentence('NO_MODEL'), sentence('TOO_WHITE', { white: 0.0004 })],
);
/** Removes the Unicode marks that isolate Latin text. */
const bare = (text: string | undefined) => text?.replaceAll(/[\u2066\u2068\u2069\u200F]/g, '');

describe('an analysis in Urdu', () => {
  beforeEach(() => chooseLanguage('ur'));
  afterEach(() => chooseLanguage('en'));

  it('An analysis is translated by its codes, with its values in place.', () => {
    const { description, warnings } = worded(ct);
    expect(bare(description)).toBe(
      'CT (کمپیوٹڈ ٹوموگرافی)، جسم کا حصہ: chest۔ یہ معائنہ 29 فروری، 2024 کو ہوا، اس تجزیے سے 2 سال پہلے۔ 300 × 200 پکسل، سیاہ و سفید، فی پکسل 16 بٹ۔',
    );
    // The text begins with a right-to-left mark, before a Latin code can set the direction.
    expect(description).toMatch(/^\u200F/);
    expect(bare(warnings[0])).toMatch(/^تشخیص کا کوئی ماڈل مقرر نہیں/);
    expect(bare(warnings[1])).toMatch(/^0\.1% سے کم پکسل بالکل سفید/);
    // Width is before height in both directions.
    expect(description).toContain('\u2066300 × 200\u2069');
  });

  it('The text of a foreign model stays English, and only the product’s own warning is translated.', () => {
    const ours = sentence('NOT_A_DIAGNOSIS');
    const foreign = result([], [ours], {
      description: 'A grey ramp.',
      warnings: [inEnglish(ours), 'Only one picture.'],
    });
    const { description, warnings } = worded(foreign);
    expect(description).toBe('A grey ramp.');
    expect(warnings.map(bare)).toEqual([expect.stringMatching(/^یہ کمپیوٹر/), 'Only one picture.']);
  });

  it('A warning in the signer’s words stays among those that are translated.', () => {
    const ours = sentence('NOT_A_DIAGNOSIS');
    const signed = result([], [ours, ours], {
      warnings: ['The marker shows left.', inEnglish(ours)],
      said: { description: [], warnings: [null, ours] },
    });
    expect(worded(signed).warnings.map(bare)).toEqual(['The marker shows left.', expect.stringMatching(/^یہ کمپیوٹر/)]);
  });

  it('An analysis without codes, or with unknown codes, stays English.', () => {
    const { said: _, ...older } = ct;
    expect(worded(older)).toEqual({ description: ct.description, warnings: ct.warnings, measurements: [] });
    const newer = { code: 'NEVER_HEARD' as 'SLICE', values: {} };
    const unknown = { ...ct, said: { description: [newer], warnings: [newer] } };
    expect(worded(unknown).description).toBe(ct.description);
    expect(worded(unknown).warnings[0]).toBe(ct.warnings[0]);
  });
});

it('An analysis in English shows the text of the server.', () => {
  expect(worded(ct)).toEqual({ description: ct.description, warnings: ct.warnings, measurements: [] });
  expect(ct.description).toBe(
    'CT (computed tomography), body part chest. The study was made on 2024-02-29, 2 years before this analysis. 300 × 200 pixels, grayscale, 16 bits per pixel.',
  );
  expect(ct.warnings[1]).toBe('under 0.1 % of the pixels are fully white. Bright details may be lost.');
});

import { isModality } from '@lightbox/contract/analysis/modalities.js';
import type { AnalysisResult } from '@lightbox/contract/analysis/schemas.js';
import {
  type Formats,
  fill,
  LEAST_SHARE,
  measureDigits,
  type Sentence,
  worded as wordedWith,
} from '@lightbox/contract/analysis/sentences.js';
import { currentCode, currentLanguage, i18n } from '../i18n';
import { formatBirthday, formatMeasure, formatPercent, ltr } from '../lib/format';

const formats: Formats = {
  modality: (value) => {
    const code = String(value);
    if (code === '') return i18n.t('analysis.modality.unstated');
    if (!isModality(code)) return ltr(code);
    return i18n.t('analysis.modality.named', { code: ltr(code), words: i18n.t(`analysis.modality.${code}`) });
  },
  day: (date) => formatBirthday(String(date)),
  measure: (value) => formatMeasure(Number(value), measureDigits(Number(value))),
  share: (value) => {
    const share = Number(value);
    if (share === 0 || share >= LEAST_SHARE) return formatPercent(share);
    return i18n.t('analysis.underShare', { share: formatPercent(LEAST_SHARE) });
  },
  plain: (value) => (typeof value === 'string' ? ltr(value) : String(value)),
};

/** Adds a right-to-left mark: otherwise a Latin code at the beginning would set the direction of the paragraph. */
const directed = (text: string) => (currentLanguage().dir === 'rtl' ? `\u200F${text}` : text);

/** Returns undefined for a code without words: a newer server may send codes that this page does not know. */
function inWords({ code, values }: Sentence): string | undefined {
  const key = `analysis.sentence.${code}` as const;
  const count = Number(values.count ?? 0);
  if (!i18n.exists(key, { count })) return undefined;
  return directed(fill(i18n.t(key, { count, skipInterpolation: true }), values, formats));
}

/** Returns the text of an analysis in the language of the viewer if the server sent codes, or else the English text. */
export const worded = (result: AnalysisResult) =>
  wordedWith(result, currentCode() === 'en' ? () => undefined : inWords);

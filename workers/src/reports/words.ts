import { type Terms, terms } from '@lightbox/contract/analysis/terms.js';
import { urduTerms } from '@lightbox/contract/analysis/terms.ur.js';
import type { MarkKind } from '@lightbox/contract/annotations/schemas.js';
import type { LanguageCode } from '@lightbox/contract/languages.js';

/** The words of a report in one language: the terms that the screen has too, and those of the report alone. */
export interface ReportWords {
  terms: Terms;
  locale: string;
  dir: 'ltr' | 'rtl';
  mark: { draft: string; withdrawn: string };
  notSigned: string;
  withdrawn: string;
  comment: string;
  measurements: string;
  marks: string;
  kinds: Record<MarkKind, string>;
  mean: string;
  deviation: string;
  frame: (frame: number) => string;
  edited: string;
  image: string;
  patient: string;
  uploaded: string;
  modality: string;
  studyDate: string;
  version: string;
  signedBy: string;
  page: (page: number, pages: number) => string;
}

const english: ReportWords = {
  terms,
  locale: 'en-GB',
  dir: 'ltr',
  mark: { draft: 'DRAFT', withdrawn: 'WITHDRAWN' },
  notSigned: 'A computer made this draft. No clinician has signed it.',
  withdrawn: 'This analysis was withdrawn. Do not use it.',
  comment: 'Comment',
  measurements: 'Measurements',
  marks: 'Marks of the signer on the image',
  mean: 'mean',
  deviation: 'SD',
  kinds: { length: 'Length', angle: 'Angle', ellipse: 'Ellipse', probe: 'Point', arrow: 'Arrow' },
  frame: (frame) => `frame ${frame}`,
  edited: 'changed by the signer',
  image: 'Image',
  patient: 'Patient',
  uploaded: 'Uploaded',
  modality: 'Modality',
  studyDate: 'Date of the study',
  version: 'Version',
  signedBy: 'Signed by',
  page: (page, pages) => `Page ${page} of ${pages}`,
};

const urdu: ReportWords = {
  terms: urduTerms,
  locale: 'ur-PK',
  dir: 'rtl',
  mark: { draft: 'مسودہ DRAFT', withdrawn: 'واپس لیا گیا WITHDRAWN' },
  notSigned: 'یہ مسودہ کمپیوٹر نے بنایا ہے۔ کسی معالج نے اس پر دستخط نہیں کیے۔',
  withdrawn: 'یہ تجزیہ واپس لے لیا گیا ہے۔ اسے استعمال نہ کریں۔',
  comment: 'تبصرہ',
  measurements: 'پیمائشیں',
  marks: 'تصویر پر دستخط کرنے والے کے نشان',
  mean: 'اوسط',
  deviation: 'انحراف',
  kinds: { length: 'لمبائی', angle: 'زاویہ', ellipse: 'بیضوی', probe: 'نقطہ', arrow: 'تیر' },
  frame: (frame) => `فریم ${frame}`,
  edited: 'دستخط کرنے والے نے بدلا',
  image: 'تصویر',
  patient: 'مریض',
  uploaded: 'اپ لوڈ کی تاریخ',
  modality: 'طریقہ',
  studyDate: 'معائنے کی تاریخ',
  version: 'ورژن',
  signedBy: 'دستخط',
  page: (page, pages) => `صفحہ ${page} از ${pages}`,
};

export const reportWords: Record<LanguageCode, ReportWords> = { en: english, ur: urdu };

import type { EditableField } from '@lightbox/contract/analysis/schemas.js';
import type { MarkKind } from '@lightbox/contract/annotations/schemas.js';
import type { LanguageCode } from '@lightbox/contract/languages.js';

/** The words of a report in one language. */
export interface ReportWords {
  locale: string;
  dir: 'ltr' | 'rtl';
  title: string;
  mark: { draft: string; withdrawn: string };
  notSigned: string;
  withdrawn: string;
  notADiagnosis: string;
  comment: string;
  sections: Record<EditableField, string>;
  marks: string;
  kinds: Record<MarkKind, string>;
  frame: (frame: number) => string;
  none: string;
  edited: string;
  image: string;
  patient: string;
  uploaded: string;
  modality: string;
  studyDate: string;
  provenance: string;
  provider: string;
  model: string;
  modelVersion: string;
  input: string;
  run: string;
  requestedBy: string;
  version: string;
  signedBy: string;
  page: (page: number, pages: number) => string;
  confidence: string;
}

const english: ReportWords = {
  locale: 'en-GB',
  dir: 'ltr',
  title: 'Second opinion',
  mark: { draft: 'DRAFT', withdrawn: 'WITHDRAWN' },
  notSigned: 'A computer made this draft. No clinician has signed it.',
  withdrawn: 'This analysis was withdrawn. Do not use it.',
  notADiagnosis: 'This is not a diagnosis.',
  comment: 'Comment',
  sections: {
    warnings: 'Warnings',
    description: 'Description',
    differentialDiagnosis: 'Possible conditions',
    treatment: 'Treatment to consider',
    followUp: 'Follow-up',
  },
  marks: 'Marks of the signer on the image',
  kinds: { length: 'Length', angle: 'Angle', ellipse: 'Ellipse', probe: 'Point', arrow: 'Arrow' },
  frame: (frame) => `frame ${frame}`,
  none: 'None.',
  edited: 'changed by the signer',
  image: 'Image',
  patient: 'Patient',
  uploaded: 'Uploaded',
  modality: 'Modality',
  studyDate: 'Date of the study',
  provenance: 'Provenance',
  provider: 'Provider',
  model: 'Model',
  modelVersion: 'Version of the model',
  input: 'SHA-256 of the file',
  run: 'Analyzed',
  requestedBy: 'Requested by',
  version: 'Version',
  signedBy: 'Signed by',
  page: (page, pages) => `Page ${page} of ${pages}`,
  confidence: 'Confidence',
};

const urdu: ReportWords = {
  locale: 'ur-PK',
  dir: 'rtl',
  title: 'دوسری رائے',
  mark: { draft: 'مسودہ DRAFT', withdrawn: 'واپس لیا گیا WITHDRAWN' },
  notSigned: 'یہ مسودہ کمپیوٹر نے بنایا ہے۔ کسی معالج نے اس پر دستخط نہیں کیے۔',
  withdrawn: 'یہ تجزیہ واپس لے لیا گیا ہے۔ اسے استعمال نہ کریں۔',
  notADiagnosis: 'یہ تشخیص نہیں ہے۔',
  comment: 'تبصرہ',
  sections: {
    warnings: 'انتباہات',
    description: 'تفصیل',
    differentialDiagnosis: 'ممکنہ بیماریاں',
    treatment: 'قابلِ غور علاج',
    followUp: 'مزید نگرانی',
  },
  marks: 'تصویر پر دستخط کرنے والے کے نشان',
  kinds: { length: 'لمبائی', angle: 'زاویہ', ellipse: 'بیضوی', probe: 'نقطہ', arrow: 'تیر' },
  frame: (frame) => `فریم ${frame}`,
  none: 'کوئی نہیں۔',
  edited: 'دستخط کرنے والے نے بدلا',
  image: 'تصویر',
  patient: 'مریض',
  uploaded: 'اپ لوڈ کی تاریخ',
  modality: 'طریقہ',
  studyDate: 'معائنے کی تاریخ',
  provenance: 'ماخذ',
  provider: 'فراہم کنندہ',
  model: 'ماڈل',
  modelVersion: 'ماڈل کا ورژن',
  input: 'فائل کا SHA-256',
  run: 'تجزیے کا وقت',
  requestedBy: 'درخواست گزار',
  version: 'ورژن',
  signedBy: 'دستخط',
  page: (page, pages) => `صفحہ ${page} از ${pages}`,
  confidence: 'اعتماد',
};

export const reportWords: Record<LanguageCode, ReportWords> = { en: english, ur: urdu };

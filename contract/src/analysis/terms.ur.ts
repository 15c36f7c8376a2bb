import type { Terms } from './terms.js';

export const urduTerms: Terms = {
  secondOpinion: 'دوسری رائے',
  description: 'تفصیل',
  differentialDiagnosis: 'ممکنہ تشخیص',
  treatment: 'علاج',
  followUp: 'آئندہ معائنہ',
  warnings: 'انتباہات',
  confidence: 'یقین کا درجہ',
  draft: 'مسودہ',
  withdrawn: 'واپس لیا گیا',
  notADiagnosis: 'یہ تشخیص نہیں ہے۔',
  provenance: 'یہ کہاں سے آیا',
  provider: 'فراہم کنندہ',
  model: 'ماڈل',
  modelVersion: 'ماڈل کا ورژن',
  input: 'فائل کا SHA-256',
  generatedAt: 'تجزیہ اس وقت بنا',
  requestedBy: 'درخواست گزار',
};

import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';

/** The contract's sentences about fields. The key is the English sentence, because a fault of a field has no code. */
export const sentences: Record<string, string> = {
  [texts.passwordRule]: 'پاس ورڈ کم از کم 8 حروف کا ہو اور اس میں ایک بڑا حرف، ایک چھوٹا حرف اور ایک ہندسہ ہو۔',
  [texts.passwordCommon]: 'یہ پاس ورڈ بہت عام ہے۔ کوئی اور چنیں۔',
  [texts.passwordForeseeable]:
    'یہ پاس ورڈ آسانی سے بوجھا جا سکتا ہے۔ ناموں، عہدوں اور اس سروس کے نام کے سوا کوئی اور الفاظ چنیں۔',
  [texts.passwordNotRight]: 'یہ پاس ورڈ درست نہیں۔',
  [texts.passwordsDiffer]: 'دونوں پاس ورڈ ایک جیسے نہیں ہیں!',
  [texts.validEmail]: 'براہِ کرم درست ای میل درج کریں۔',
  [texts.validCode]: `براہِ کرم ${limits.codeDigits} ہندسوں کا درست کوڈ درج کریں۔`,
  [texts.validRecoveryCode]: 'ریکوری کوڈ میں دس حروف اور ہندسے ہوتے ہیں۔',
  [texts.completeCode]: 'براہِ کرم درست ای میل اور پورا کوڈ درج کریں۔',
  [texts.captionRequired]: 'براہِ کرم عنوان لکھیں۔',
  [texts.fileRequired]: 'براہِ کرم اپ لوڈ کے لیے فائل چنیں۔',
  [texts.fileType]: 'فائل کی قسم درست نہیں۔ قبول کی جانے والی: \u2066.jpg, .png, .pdf, .dicom\u2069',
  [texts.emailRequired]: 'ای میل لکھنا ضروری ہے',
  [texts.malformedUpload]: 'اپ لوڈ ادھورا یا خراب تھا۔',
  'This field is required.': 'یہ خانہ پُر کرنا ضروری ہے۔',
  'Contains characters that cannot be stored.': 'اس میں ایسے حروف ہیں جو محفوظ نہیں ہو سکتے۔',
  'Must be 1900-01-01 or later.': 'تاریخ 1900 سے پہلے کی نہیں ہو سکتی۔',
  'Must be a 24-digit id.': 'نمبر 24 حروف اور ہندسوں کا ہونا چاہیے۔',
  'Must be a date, YYYY-MM-DD.': 'براہِ کرم درست تاریخ درج کریں۔',
  'Must be a whole number of hours.': 'پورے گھنٹے لکھیں۔',
  'Must be a whole number.': 'پورا عدد لکھیں۔',
  'Must be an ISO 8601 time.': 'براہِ کرم درست وقت درج کریں۔',
  'Must be at least 1 hour.': 'کم از کم ایک گھنٹہ ہونا چاہیے۔',
  'Must be at least 3 characters.': 'کم از کم 3 حروف لکھیں۔',
  'Must be male, female or other.': 'مرد، عورت یا دیگر میں سے ایک چنیں۔',
  'Must not be after the end.': 'آغاز، اختتام کے بعد نہیں ہو سکتا۔',
  'Must not be in the future.': 'تاریخ آنے والے وقت کی نہیں ہو سکتی۔',
  'Please give a reason.': 'براہِ کرم وجہ لکھیں۔',
  'This name is not allowed.': 'یہ نام استعمال نہیں ہو سکتا۔',
  'Use letters, digits, dots, dashes and underscores.': 'انگریزی حروف، ہندسے، نقطے، ڈیش اور انڈر اسکور استعمال کریں۔',
  'Write something first.': 'پہلے کچھ لکھیں۔',
  'This is not a patient you can choose.': 'آپ اس مریض کو نہیں چن سکتے۔',
};

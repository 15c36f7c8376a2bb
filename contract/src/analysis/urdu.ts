import type { modalities } from './modalities.js';
import { type analysisSentences, type Formats, LEAST_SHARE, measureDigits, wordedBy } from './sentences.js';

/** The sentences of `sentences.ts` in Urdu. Pairs of numbers are isolated, so that width stays before height. */
export const urduSentences = {
  PICTURE: '{{kind}} تصویر۔',
  STUDY: '{{modality, modality}}۔',
  STUDY_PART: '{{modality, modality}}، جسم کا حصہ: {{part}}۔',
  STUDY_VIEW: '{{modality, modality}}، رخ: {{view}}۔',
  STUDY_PART_VIEW: '{{modality, modality}}، جسم کا حصہ: {{part}}، رخ: {{view}}۔',
  MADE_DAYS_one: 'یہ معائنہ {{date, day}} کو ہوا، اس تجزیے سے {{count}} دن پہلے۔',
  MADE_DAYS_other: 'یہ معائنہ {{date, day}} کو ہوا، اس تجزیے سے {{count}} دن پہلے۔',
  MADE_MONTHS_one: 'یہ معائنہ {{date, day}} کو ہوا، اس تجزیے سے {{count}} مہینہ پہلے۔',
  MADE_MONTHS_other: 'یہ معائنہ {{date, day}} کو ہوا، اس تجزیے سے {{count}} مہینے پہلے۔',
  MADE_YEARS_one: 'یہ معائنہ {{date, day}} کو ہوا، اس تجزیے سے {{count}} سال پہلے۔',
  MADE_YEARS_other: 'یہ معائنہ {{date, day}} کو ہوا، اس تجزیے سے {{count}} سال پہلے۔',
  MADE_LATER: 'معائنے کی درج تاریخ {{date, day}} ہے، جو ابھی آئی نہیں۔',
  GREY_one: '\u2066{{width}} × {{height}}\u2069 پکسل، سیاہ و سفید، فی پکسل {{count}} بٹ۔',
  GREY_other: '\u2066{{width}} × {{height}}\u2069 پکسل، سیاہ و سفید، فی پکسل {{count}} بٹ۔',
  COLOUR_one: '\u2066{{width}} × {{height}}\u2069 پکسل، رنگین، فی رنگ {{count}} بٹ۔',
  COLOUR_other: '\u2066{{width}} × {{height}}\u2069 پکسل، رنگین، فی رنگ {{count}} بٹ۔',
  FRAMES: '{{frames}} فریم، جن میں سے درمیان والے کی پیمائش ہوئی۔',
  SPACING:
    'پکسل کا فاصلہ \u2066{{row, measure}} × {{column, measure}} mm\u2069، تقریباً \u2066{{width}} × {{height}} mm\u2069 کا میدان۔',
  SLICE: 'تہہ کی موٹائی \u2066{{thickness, measure}} mm\u2069۔',
  AXIAL: 'سطح: عرضی (axial)۔',
  CORONAL: 'سطح: سامنے کی (coronal)۔',
  SAGITTAL: 'سطح: پہلو کی (sagittal)۔',
  ORIENTATION: 'سمت: {{orientation}}۔',
  SIDE_LEFT: 'درج شدہ جانب: بائیں۔',
  SIDE_RIGHT: 'درج شدہ جانب: دائیں۔',
  SIDE_BOTH: 'درج شدہ جانب: دونوں۔',
  SIDE_UNPAIRED: 'درج شدہ جانب: کوئی نہیں، عضو اکیلا ہے۔',
  WINDOW: 'محفوظ کی گئی ونڈو: مرکز {{centre, measure}}، چوڑائی {{width, measure}}۔',
  DEVICE: 'آلے کا ماڈل: {{model}}۔',
  BRIGHTNESS:
    'روشنی 0 (سیاہ) سے 255 (سفید) تک: اوسط {{mean}}، معیاری انحراف {{deviation}}، وسطانیہ {{median}}، دس میں سے نو حصے {{low}} اور {{high}} کے درمیان۔',
  TONES:
    'گہرے، درمیانے اور روشن حصے بالترتیب {{dark, share}}، {{middle, share}} اور {{bright, share}} ہیں؛ {{black, share}} پکسل بالکل سیاہ اور {{white, share}} بالکل سفید ہیں۔',
  VALUES: 'پکسل کی قدریں {{min, measure}} سے {{max, measure}} تک ہیں، اوسط {{mean, measure}}۔',
  VALUES_HU:
    'پکسل کی قدریں {{min, measure}} سے \u2066{{max, measure}} HU\u2069 تک ہیں، اوسط \u2066{{mean, measure}} HU\u2069۔',
  TEXTURE: 'کناروں کی تیزی (Laplacian کا تغیر) {{sharpness, measure}}؛ شور کا اندازہ: {{noise, measure}} درجے۔',
  EXPOSURE_INDEX: 'ایکسپوژر انڈیکس {{index, measure}}۔',
  EXPOSURE_INDEX_TARGET: 'ایکسپوژر انڈیکس {{index, measure}}، ہدف {{target, measure}}۔',
  TONES_SPREAD: 'تصویر میں گہرے، درمیانے اور روشن حصے موجود ہیں۔',
  TONES_DARK: 'تصویر کا بیشتر حصہ گہرا ہے۔',
  TONES_BRIGHT: 'تصویر کا بیشتر حصہ روشن ہے۔',
  EXPOSURE_ON_TARGET: 'آلے نے ہدف کے قریب ایکسپوژر درج کیا۔',
  NOTHING_CLIPPED: 'بالکل سیاہ یا بالکل سفید میں کوئی تفصیل ضائع نہیں ہوئی۔',
  EDGES_SHARP: 'کنارے تیز ہیں۔',
  EDGES_SOFT: 'کنارے نرم ہیں۔',
  LITTLE_NOISE: 'شور کم ہے۔',
  NO_MODEL: 'تشخیص کا کوئی ماڈل مقرر نہیں۔ یہاں تصویر کی پیمائشیں لکھی ہیں۔ یہ تشخیص نہیں۔',
  NOT_A_DIAGNOSIS:
    'یہ کمپیوٹر کے ایک ماڈل نے بنایا ہے جو ایک تصویر دیکھتا ہے اور کوئی طبی پس منظر نہیں جانتا۔ یہ تشخیص نہیں؛ فیصلہ معالج کو کرنا ہے۔',
  ONE_TONE: 'تصویر تقریباً ایک ہی رنگ کی ہے: ہو سکتا ہے یہ خالی ہو۔',
  TOO_WHITE: '{{white, share}} پکسل بالکل سفید ہیں: روشن حصوں کی تفصیل ضائع ہو گئی ہو سکتی ہے۔',
  TOO_BLACK: '{{black, share}} پکسل بالکل سیاہ ہیں: یہ پس منظر ہو سکتا ہے، یا گہرے حصوں کی ضائع شدہ تفصیل۔',
  LOW_CONTRAST: 'تصویر میں روشنی اور سیاہی کا فرق کم ہے۔',
  BLURRED: 'تیز کنارے نہ ہونے کے برابر ہیں: تصویر دھندلی ہو سکتی ہے۔',
  NOISY: 'تصویر میں شور ہے (تقریباً {{noise, measure}} درجے)۔',
  SMALL: 'تصویر چھوٹی ہے (\u2066{{width}} × {{height}}\u2069 پکسل): باریک تفصیل نظر نہیں آ سکتی۔',
  LOSSY: 'تصویر کو اس طرح سکیڑا گیا کہ کچھ تفصیل ضائع ہوئی۔',
  TEXT_INSIDE: 'فائل کے مطابق تصویر پر تحریر لکھی ہے؛ اس میں کسی کا نام ہو سکتا ہے۔',
  TEXT_LIKELY: 'ایسی تصاویر پر اکثر تحریر ہوتی ہے؛ اس میں کسی کا نام ہو سکتا ہے۔',
  TOO_DARK: 'تصویر بہت گہری ہے: گہرے حصوں کی تفصیل ضائع ہو گئی ہو سکتی ہے۔',
  TOO_BRIGHT: 'تصویر بہت روشن ہے: روشن حصوں کی تفصیل ضائع ہو گئی ہو سکتی ہے۔',
  UNDEREXPOSED: 'آلے نے بہت کم ایکسپوژر درج کیا (ڈیوی ایشن انڈیکس {{index, measure}})۔ شور تفصیل کو چھپا سکتا ہے۔',
  OVEREXPOSED: 'آلے نے بہت زیادہ ایکسپوژر درج کیا (ڈیوی ایشن انڈیکس {{index, measure}})۔',
  NO_MODALITY: 'فائل میں تصویر کی قسم درج نہیں۔',
  NO_BODY_PART: 'فائل میں جسم کا حصہ درج نہیں۔',
  NO_VIEW: 'فائل میں رخ درج نہیں۔',
  NO_SIDE: 'فائل میں جانب (دائیں یا بائیں) درج نہیں۔ تصویر میں نشان دیکھیں۔',
  NO_SPACING: 'فائل میں پکسل کا فاصلہ درج نہیں۔ فاصلے ناپے نہیں جا سکتے۔',
  NO_SLICE: 'فائل میں تہہ کی موٹائی درج نہیں۔',
  NO_ORIENTATION: 'فائل میں درج نہیں کہ تصویر جسم میں کس سمت میں ہے۔',
  NO_WINDOW: 'فائل میں ونڈو درج نہیں۔ پہلا منظر قدروں کی پوری حد دکھاتا ہے۔',
  CLASSIFIER_one: 'کلاسیفائر {{name}} نے {{count}} لیبل کا امکان بتایا۔',
  CLASSIFIER_other: 'کلاسیفائر {{name}} نے {{count}} لیبلوں میں سے ہر ایک کا امکان بتایا۔',
  MADE_FOR: 'بنانے والوں نے اسے ان کے لیے بنایا: {{modalities}}۔',
  MADE_FOR_PARTS: 'بنانے والوں نے اسے ان کے لیے بنایا: {{modalities}}؛ جسم کے حصے: {{parts}}۔',
  CALIBRATED: 'امکانات بنانے والوں کے بتائے ہوئے طریقے سے درست کیے گئے ہیں۔',
  CLASSIFIER_LIMITS:
    'یہ ایک کلاسیفائر نے ایک تصویر سے بنایا ہے۔ وہ صرف اپنے لیبل جانتا ہے، مریض کا طبی پس منظر نہیں۔ یہ تشخیص نہیں؛ فیصلہ معالج کو کرنا ہے۔',
  NOT_CALIBRATED:
    'امکانات کی جانچ نہیں ہوئی: \u206680 %\u2069 کا مطلب یہ نہیں کہ ایسے دس میں سے آٹھ مریضوں میں یہ بات ہو گی۔',
} satisfies Record<keyof typeof analysisSentences, string>;

export const urduModalities = {
  named: '{{code}} ({{words}})',
  unstated: 'DICOM تصویر، جس کا طریقہ درج نہیں',
  BMD: 'ہڈیوں کی کثافت کی پیمائش',
  CR: 'کمپیوٹڈ ریڈیوگرافی',
  CT: 'کمپیوٹڈ ٹوموگرافی',
  DX: 'ڈیجیٹل ریڈیوگرافی',
  ECG: 'دل کی برقی نگاری',
  ES: 'اینڈوسکوپی',
  GM: 'عام خوردبینی',
  IO: 'منہ کے اندر کی ریڈیوگرافی',
  IVOCT: 'رگ کے اندر آپٹیکل کوہیرنس ٹوموگرافی',
  IVUS: 'رگ کے اندر الٹراساؤنڈ',
  MG: 'میموگرافی',
  MR: 'مقناطیسی گونج',
  NM: 'نیوکلیئر میڈیسن',
  OCT: 'آپٹیکل کوہیرنس ٹوموگرافی',
  OP: 'آنکھ کی عکس بندی',
  OT: 'دیگر',
  PT: 'پوزیٹرون ایمیشن ٹوموگرافی',
  PX: 'جبڑوں کا پینورامک ایکسرے',
  RF: 'ریڈیو فلوروسکوپی',
  RG: 'ریڈیوگرافک عکس بندی',
  RTDOSE: 'ریڈیو تھراپی کی خوراک',
  RTIMAGE: 'ریڈیو تھراپی کی تصویر',
  SC: 'ثانوی عکس',
  SEG: 'حصوں کی تقسیم',
  SM: 'سلائیڈ خوردبینی',
  US: 'الٹراساؤنڈ',
  XA: 'رگوں کا ایکسرے',
  XC: 'بیرونی کیمرے کی تصویر',
} satisfies Record<keyof typeof modalities | 'named' | 'unstated', string>;

/** "under 0.1 %". */
export const urduUnderShare = '{{share}} سے کم';

const ltr = (text: string) => `\u2066${text}\u2069`;
const decimal = (value: number, digits: number) =>
  new Intl.NumberFormat('ur-PK', { maximumFractionDigits: digits }).format(value);
const percent = (share: number) => ltr(`${decimal(share * 100, share < 0.1 ? 1 : 0)}%`);
const day = new Intl.DateTimeFormat('ur-PK', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

const urdu: Formats = {
  modality: (value) => {
    const code = String(value);
    if (code === '') return urduModalities.unstated;
    const words: Record<string, string> = urduModalities;
    if (!Object.hasOwn(words, code)) return ltr(code);
    return urduModalities.named.replace('{{code}}', ltr(code)).replace('{{words}}', words[code] ?? '');
  },
  day: (date) => day.format(new Date(`${date}T00:00:00Z`)),
  measure: (value) => ltr(decimal(Number(value), measureDigits(Number(value)))),
  share: (value) => {
    const share = Number(value);
    if (share === 0 || share >= LEAST_SHARE) return percent(share);
    return urduUnderShare.replace('{{share}}', percent(LEAST_SHARE));
  },
  plain: (value) => (typeof value === 'string' ? ltr(value) : String(value)),
};

/** Returns the Urdu text of a sentence, or undefined for a code without a text. */
export const inUrdu = wordedBy(urduSentences, urdu);

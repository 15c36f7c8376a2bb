import { limits } from '@lightbox/contract/limits.js';
import { type NoticeGroup, noticeGroups } from '@lightbox/contract/notifications/choices.js';
import { throttles } from '@lightbox/contract/throttles.js';
import type { MailFacts, MailWords, Templates } from './mailText.js';

const minutes = `کوڈ ${limits.codeMinutes} منٹ تک کام کرتا ہے۔`;
const notMe = `اگر یہ آپ نے نہیں کیا تو ${limits.notMeHours} گھنٹے کے اندر یہ لنک کھولیں۔ یہ ہر آلے کو لاگ آؤٹ کرتا ہے اور تبدیلی واپس لیتا ہے۔`;
const ignore = 'آپ نے کوڈ نہیں مانگا؟ اس ای میل کو نظر انداز کر دیں۔ کوڈ کے بغیر کوئی لاگ اِن نہیں ہو سکتا۔';
const undo = 'یہ میں نے نہیں کیا';
const logIn = 'لاگ اِن کریں';

export const words: MailWords = {
  locale: 'ur-PK',
  dir: 'rtl',
  code: 'کوڈ',
  sharingId: 'شیئرنگ نمبر',
  share: (mark) => `شیئر ${mark}`,
  ends: (when) => `رسائی ختم ہو گی: ${when}۔`,
  noEnd: (codeEnds) => `رسائی کا کوئی آخری وقت نہیں۔ کوڈ اس سے پہلے درج کریں: ${codeEnds}۔`,
  phone: (number) => `فون: \u2066${number}\u2069`,
  sentBy: 'یہ ای میل Lightbox نے بھیجی ہے۔ براہِ کرم اس کا جواب نہ دیں۔',
  choose: 'چنیں کہ آپ کو کون سی ای میل ملے، یا انہیں بند کریں',
};

const groups: Record<NoticeGroup, string> = {
  shares: 'شیئر',
  images: 'تصاویر کی اطلاعات',
  messages: 'پیغامات',
  account: 'اکاؤنٹ کی اطلاعات',
  administration: 'منتظمین کی اطلاعات',
};
/** The numbers of a digest. */
const counted = (counts: MailFacts['counts'] = {}): string =>
  noticeGroups.flatMap((group) => (counts[group] ? `${groups[group]}: ${counts[group]}` : [])).join('، ');

export const urdu: Templates = {
  verificationCode: ({ code }) => ({
    subject: 'آپ کا تصدیقی کوڈ',
    parts: ['آگے بڑھنے کے لیے یہ کوڈ درج کریں۔', { code }, minutes, ignore],
  }),
  resetCode: ({ code, link }) => ({
    subject: 'پاس ورڈ بدلنے کا کوڈ',
    parts: [
      'نیا پاس ورڈ چننے کے لیے یہ کوڈ درج کریں، یا لنک کھولیں۔',
      { code },
      { link, act: 'نیا پاس ورڈ چنیں' },
      minutes,
      'آپ نے کوڈ نہیں مانگا؟ اس ای میل کو نظر انداز کر دیں۔ آپ کا پاس ورڈ نہیں بدلتا۔',
    ],
  }),
  imageShared: ({ shares, link }, { name }) => ({
    subject: 'آپ کے ساتھ ایک تصویر شیئر ہوئی',
    parts: [
      ...(shares.length === 1
        ? [
            name ? `${name} نے آپ کے ساتھ ایک تصویر شیئر کی ہے۔` : 'آپ کے ساتھ ایک تصویر شیئر ہوئی ہے۔',
            'لنک کھولیں، لاگ اِن کریں اور کوڈ درج کریں۔',
            { link, act: 'تصویر دیکھیں' },
          ]
        : [
            name ? `${name} نے آپ کے ساتھ تصاویر شیئر کی ہیں۔` : 'آپ کے ساتھ تصاویر شیئر ہوئی ہیں۔',
            `${shares.length} تصاویر آپ کی منتظر ہیں۔`,
            'لنک کھولیں اور لاگ اِن کریں۔ پھر ہر تصویر کا کوڈ درج کریں: تصویر اور کوڈ پر ایک ہی نشان ہے۔',
            { link, act: 'تصاویر دیکھیں' },
          ]),
      ...shares.map((share) => ({ share })),
      shares.length === 1 ? 'کوڈ صرف آپ کے اکاؤنٹ میں کام کرتا ہے۔' : 'کوڈ صرف آپ کے اکاؤنٹ میں کام کرتے ہیں۔',
    ],
  }),
  invited: ({ link }, { name }) => ({
    subject: 'آپ کو دعوت دی گئی ہے',
    parts: [
      name ? `${name} آپ کو ایک طبی تصویر دکھانا چاہتے ہیں۔` : 'کوئی آپ کو ایک طبی تصویر دکھانا چاہتا ہے۔',
      'لنک کھولیں اور اسی ای میل پتے سے رجسٹر کریں۔ تصویر وہاں آپ کی منتظر ہے۔',
      { link, act: 'رجسٹر کریں' },
      `دعوت ${limits.invitationDays} دن میں ختم ہوتی ہے۔ لنک صرف اسی ای میل پتے کے لیے کام کرتا ہے۔`,
      'آپ نہیں جانتے کہ یہ کیا ہے؟ اس ای میل کو نظر انداز کر دیں۔',
    ],
  }),
  guestLink: ({ link }, { name }) => ({
    subject: 'آپ کے ساتھ ایک تصویر شیئر کی گئی ہے',
    parts: [
      name ? `${name} نے آپ کے ساتھ ایک طبی تصویر شیئر کی ہے۔` : 'کسی نے آپ کے ساتھ ایک طبی تصویر شیئر کی ہے۔',
      'تصویر دیکھنے کے لیے لنک کھولیں۔ اکاؤنٹ کی ضرورت نہیں۔',
      { link, act: 'تصویر کھولیں' },
      'صفحہ ایک کوڈ مانگے گا۔ بھیجنے والا آپ کو کوڈ کسی اور طریقے سے بتائے گا، مثلاً فون پر۔',
    ],
  }),
  accountApproved: ({ link }) => ({
    subject: 'آپ کا اکاؤنٹ منظور ہو گیا',
    parts: ['ایک منتظم نے آپ کا اکاؤنٹ منظور کر لیا ہے۔ اب آپ لاگ اِن کر سکتے ہیں۔', { link, act: logIn }],
  }),
  accountRejected: ({ reason }) => ({
    subject: 'آپ کا اکاؤنٹ منظور نہیں ہوا',
    parts: ['ایک منتظم نے آپ کا اکاؤنٹ دیکھا اور اسے منظور نہیں کیا۔', ...(reason ? [`وجہ: ${reason}`] : [])],
  }),
  passwordChanged: ({ link }) => ({
    subject: 'آپ کا پاس ورڈ بدل گیا',
    parts: ['آپ کا پاس ورڈ بدل گیا ہے۔ ہم نے آپ کے باقی تمام آلات لاگ آؤٹ کر دیے ہیں۔', notMe, { link, act: undo }],
  }),
  wrongPasswords: ({ link }) => ({
    subject: 'آپ کے اکاؤنٹ میں بہت سے غلط پاس ورڈ',
    parts: [
      `کسی نے آپ کے اکاؤنٹ میں ${throttles.loginFailures.points} غلط پاس ورڈ درج کیے۔ وہ داخل نہیں ہو سکے۔`,
      'اب ہر نئی کوشش سے پہلے انتظار کرنا ہو گا۔ اگر آپ لاگ اِن نہ ہو سکیں تو نیا پاس ورڈ چنیں۔',
      { link, act: 'نیا پاس ورڈ چنیں' },
    ],
  }),
  alreadyHaveAccount: ({ link }) => ({
    subject: 'آپ کا اکاؤنٹ پہلے سے موجود ہے',
    parts: [
      'کسی نے آپ کے ای میل پتے سے رجسٹر کرنے کی کوشش کی۔ اس کا اکاؤنٹ پہلے سے ہے۔ کچھ نہیں بدلا۔',
      'اگر یہ آپ تھے تو لاگ اِن کریں یا نیا پاس ورڈ چنیں۔',
      { link, act: logIn },
    ],
  }),
  roleChanged: ({ link }) => ({
    subject: 'آپ کا کردار بدل گیا',
    parts: [
      'ایک منتظم نے آپ کا کردار بدل دیا ہے۔ ہم نے آپ کو ہر جگہ سے لاگ آؤٹ کر دیا ہے۔',
      'اپنے نئے صفحات دیکھنے کے لیے لاگ اِن کریں۔',
      { link, act: logIn },
    ],
  }),
  totpOn: ({ link }) => ({
    subject: 'آپ کے اکاؤنٹ میں تصدیقی ایپ شامل ہوئی',
    parts: [
      'آپ کے اکاؤنٹ میں تصدیقی ایپ شامل کی گئی ہے۔ اب آپ ای میل کے کوڈ سے نہیں، اس کے کوڈ سے لاگ اِن کریں گے۔',
      notMe,
      { link, act: undo },
    ],
  }),
  totpOff: ({ link }) => ({
    subject: 'تصدیقی ایپ آپ کے اکاؤنٹ سے ہٹا دی گئی',
    parts: ['آپ نے یا کسی منتظم نے تصدیقی ایپ آپ کے اکاؤنٹ سے ہٹا دی ہے۔', notMe, { link, act: undo }],
  }),
  passkeyAdded: ({ link }) => ({
    subject: 'آپ کے اکاؤنٹ میں پاس کی شامل ہوئی',
    parts: ['ایک پاس کی شامل ہوئی ہے۔ اس سے پاس ورڈ کے بغیر لاگ اِن ہو سکتا ہے۔', notMe, { link, act: undo }],
  }),
  passkeyRemoved: ({ link }) => ({
    subject: 'آپ کے اکاؤنٹ سے پاس کی ہٹا دی گئی',
    parts: ['ایک پاس کی ہٹا دی گئی ہے۔ اب اس سے لاگ اِن نہیں ہو سکتا۔', notMe, { link, act: undo }],
  }),
  recoveryCodes: ({ link }) => ({
    subject: 'آپ کے ریکوری کوڈ بدل گئے',
    parts: ['آپ کے نئے ریکوری کوڈ بن گئے ہیں۔ پرانے کوڈ اب کام نہیں کرتے۔', notMe, { link, act: undo }],
  }),
  unreadMessages: ({ link }) => ({
    subject: 'آپ کے نئے پیغامات ہیں',
    parts: ['کسی نے آپ کو لکھا ہے۔ پیغام پڑھنے کے لیے لاگ اِن کریں۔', { link, act: 'پیغام پڑھیں' }],
  }),
  somethingNew: ({ link }, { name }) => ({
    subject: 'Lightbox میں آپ کے لیے کچھ نیا ہے',
    parts: [
      name ? `${name} کی طرف سے آپ کے لیے کچھ نیا ہے۔` : 'آپ کے لیے کچھ نیا ہے۔',
      'دیکھنے کے لیے لاگ اِن کریں۔',
      { link, act: logIn },
    ],
  }),
  digest: ({ counts, link }) => ({
    subject: 'Lightbox سے آپ کا خلاصہ',
    parts: [`آپ نے یہ نہیں پڑھا: ${counted(counts)}۔`, 'مزید دیکھنے کے لیے لاگ اِن کریں۔', { link, act: logIn }],
  }),
};

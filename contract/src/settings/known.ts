import { z } from 'zod';
import { secondFactorRequirements } from '../auth/policy.js';
import { line } from '../ids.js';
import { limits } from '../limits.js';

export type SettingUnit = 'days' | 'hours' | 'minutes' | 'bytes' | 'files';

/** A whole number in decimal digits: no sign, no `0x18`, no `1e3`. */
const whole = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

const number = (
  unit: SettingUnit,
  { min, max, fallback, description }: Record<'min' | 'max' | 'fallback', number> & { description: string },
) => ({ description, kind: 'number' as const, unit, min, max, value: whole(min, max), fallback });

/** A time in days after which something is removed. 0: never. */
const keptDays = ({ min, description }: { min: number; description: string }) => ({
  description,
  kind: 'number' as const,
  unit: 'days' as const,
  min,
  max: limits.retentionDaysMax,
  orZero: true as const,
  value: z.union([whole(0, 0), whole(min, limits.retentionDaysMax)]),
  fallback: 0,
});

const choice = <const O extends readonly [string, ...string[]]>(
  options: O,
  { fallback, description }: { fallback: O[number]; description: string },
) => ({ description, kind: 'choice' as const, options, value: z.string().trim().pipe(z.enum(options)), fallback });

/** The rules that a text may follow, in words. */
const forms = {
  line: `a text of at most ${limits.settingTextLength} characters`,
  phone: 'a phone number: digits, spaces and + ( ) -',
  emails: 'email addresses, separated by spaces or commas',
  url: 'an address that begins with https:// or http://',
  viewer: 'an address that begins with https:// or http:// and has {study} and {token} in it',
} as const;
export type TextForm = keyof typeof forms;
export const textForms = Object.keys(forms) as TextForm[];

const patterns: Record<TextForm, RegExp> = {
  line: /^/,
  emails: /^[^\s,;@]+@[^\s,;@]+([\s,;]+[^\s,;@]+@[^\s,;@]+)*$|^$/,
  phone: /^[+\d ()-]*$/,
  url: /^(https?:\/\/[^\s/@\\]+(\/\S*)?)?$/i,
  viewer: /^(https?:\/\/[^\s/@\\{}]+\/(?=\S*\{study\})(?=\S*\{token\})\S*)?$/i,
};

const words = (form: TextForm, { description }: { description: string }) => ({
  description,
  kind: 'text' as const,
  form,
  maxLength: limits.settingTextLength,
  value: line(limits.settingTextLength).regex(patterns[form]),
  /** Empty: not shown. */
  fallback: '',
});

/** The settings that the product knows: their purpose, the allowed values, and the default. */
export const knownSettings = {
  'clinic.name': words('line', {
    description: 'Name of the clinic. Emails, the login page and the menu show it.',
  }),
  'clinic.phone': words('phone', {
    description: 'Phone number of the clinic, for people who need help. Emails and the help show it.',
  }),
  'clinic.url': words('url', {
    description: 'Web address of the clinic. Emails and the help show it.',
  }),
  'sharing.expiryHours': number('hours', {
    description: 'Default sharing time, in hours.',
    min: 1,
    max: limits.shareHoursMax,
    fallback: limits.shareHours,
  }),
  'upload.maxBytes': number('bytes', {
    description: 'Largest file that people can upload, in bytes.',
    min: 1024 * 1024,
    max: limits.uploadBytesMax,
    fallback: limits.uploadBytes,
  }),
  'session.idleMinutes': number('minutes', {
    description: 'Minutes of inactivity after which people are logged out.',
    min: 1,
    max: limits.sessionHours * 60,
    fallback: limits.sessionIdleMinutes,
  }),
  'directory.patients': choice(['all', 'known'], {
    description:
      'Which patients a provider can find and write to: all of them, or only those known to the provider by an image, a share or a chat.',
    fallback: 'all',
  }),
  'access.breakGlass': choice(['no', 'yes'], {
    description:
      'Emergency access: a provider may open the images of a patient for one hour, with a reason. The patient and the administrators are told at once.',
    fallback: 'no',
  }),
  'analysis.consent': choice(['off', 'ask'], {
    description:
      'Consent to analyses: off, or ask (an image that names a patient is analyzed only after the patient has agreed in the app).',
    fallback: 'off',
  }),
  'access.carers': choice(['no', 'yes'], {
    description:
      'Carers: a patient may name other patients who then see the images that the patient has opened, and can only look. Turning it off ends all of them.',
    fallback: 'yes',
  }),
  'security.requireSecondFactor': choice(secondFactorRequirements, {
    description:
      'Who must log in with an authenticator app or a passkey: none, or staff (providers and administrators).',
    fallback: 'none',
  }),
  'signIn.local': choice(['all', 'patients', 'none'], {
    description:
      'Who may log in with a password or a passkey of this product: all, patients (staff use single sign-on), or none. Break-glass administrators always may.',
    fallback: 'all',
  }),
  'signIn.breakGlass': words('emails', {
    description:
      'Email addresses of the break-glass administrators, separated by spaces. They can always log in here. The other administrators are told each time.',
  }),
  'retention.imagesDays': keptDays({
    description:
      'Days after its upload after which an image is deleted with everything that belongs to it. 0: never. A change takes effect after one day. Images of patients under a legal hold stay.',
    min: 1,
  }),
  'retention.messagesDays': keptDays({
    description:
      'Days after which a message is deleted, with its recording. 0: never. A change takes effect after one day. Messages of patients under a legal hold stay.',
    min: 1,
  }),
  'retention.auditDays': keptDays({
    description:
      'Days after which npm run audit:archive moves entries of the audit log to a file. 0: never. Nothing else removes an entry.',
    min: limits.auditDaysMin,
  }),
  'viewer.url': words('viewer', {
    description:
      'Address of another viewer, such as OHIF, that reads by DICOMweb: {study} stands for the study UID and {token} for the token.',
  }),
  'quota.files': number('files', {
    description: 'Number of images one account may own.',
    min: 1,
    max: 100_000_000,
    fallback: limits.quotaFiles,
  }),
  'quota.bytes': number('bytes', {
    description: 'Storage for the images of one account, in bytes.',
    min: 1024 * 1024,
    max: 2 ** 49,
    fallback: limits.quotaBytes,
  }),
} as const;
export type KnownSetting = keyof typeof knownSettings;
export type SettingValues = { [K in KnownSetting]: z.output<(typeof knownSettings)[K]['value']> };
export const settingNames = Object.keys(knownSettings) as KnownSetting[];

/** Returns the rule that a value of a known setting breaks, in words; null when the value is valid. */
export function settingFault(name: KnownSetting, value: string): string | null {
  const known = knownSettings[name];
  if (known.value.safeParse(value).success) return null;
  return `Must be ${allowed(known)}. ${known.description}`;
}

/** Returns the allowed values of a setting, in words. */
function allowed(known: (typeof knownSettings)[KnownSetting]): string {
  if (known.kind === 'number') {
    const zero = 'orZero' in known ? '0, or ' : '';
    return `${zero}a whole number from ${known.min} to ${known.max}`;
  }
  return known.kind === 'choice' ? `one of: ${known.options.join(', ')}` : forms[known.form];
}

/** Former names of settings, with the present ones. A value under a former name stays in effect. */
const renamed: Readonly<Record<string, KnownSetting>> = { 'security.requireTotp': 'security.requireSecondFactor' };
export const currentName = (name: string): string => (Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name);
export const formerNames = Object.keys(renamed);

export const isKnownSetting = (name: string): name is KnownSetting => Object.hasOwn(knownSettings, name);

/**
 * True for a setting about who signs in and how, and for the address that gets a token. A change of one needs a recent proof
 * of identity, like the calls that declare `stepUp`.
 */
export const needsProof = (name: string): boolean =>
  isKnownSetting(currentName(name)) && /^(security|signIn|viewer)\./.test(currentName(name));

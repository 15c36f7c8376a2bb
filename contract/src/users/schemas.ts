import { z } from 'zod';
import { emailLength, emailPattern, isGoodPassword } from '../auth/rules.js';
import { Id, line, Time, text } from '../ids.js';
import { languageCodes } from '../languages.js';
import { limits } from '../limits.js';
import { roles } from '../permissions.js';
import { texts } from '../texts.js';
import { firstBirthday } from '../written.js';
import { accountStatuses } from './states.js';

export const RoleName = z.enum(roles);
export const UserStatus = z.enum(accountStatuses);
export type UserStatus = z.infer<typeof UserStatus>;

/** Stored in lower case: the seed's registration sends `Male`, its profile form `male`. */
export const Gender = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['male', 'female', 'other'], 'Must be male, female or other.'));

/** A calendar date, never shifted by a time zone. */
export const Dob = z.iso
  .date('Must be a date, YYYY-MM-DD.')
  .refine((dob) => dob >= firstBirthday, `Must be ${firstBirthday} or later.`)
  .refine((dob) => dob <= new Date().toISOString().slice(0, 10), 'Must not be in the future.');

/** Stored and compared in lower case: an address has one account however it is typed. */
export const Email = z
  .string()
  .trim()
  .max(emailLength, texts.validEmail)
  .toLowerCase()
  .pipe(z.email({ pattern: emailPattern, error: texts.validEmail }));

/** The address of a provider who waits for approval, in the words of that form. */
export const ProviderEmail = z.string(texts.emailRequired).trim().min(1, texts.emailRequired).pipe(Email);

export const Password = z
  .string()
  .max(limits.passwordMax, `Must be at most ${limits.passwordMax} characters.`)
  .refine(isGoodPassword, texts.passwordRule);

export const Username = line(64)
  .min(3, 'Must be at least 3 characters.')
  .regex(/^[\p{L}\p{N}._@+-]+$/u, 'Use letters, digits, dots, dashes and underscores.');

const required = (max: number) => line(max).min(1, texts.required);

/** The fields that people fill in about themselves, at registration and in the profile. An empty text means none. */
export const profileFields = {
  firstname: required(80),
  lastname: required(80),
  phone: line(32)
    .regex(/^[+0-9 ().-]*$/, 'Use digits, spaces and + ( ) . -')
    .optional(),
  dob: Dob.optional(),
  gender: Gender.optional(),
  country: line(80).optional(),
  state: line(80).optional(),
  city: line(80).optional(),
  zipcode: line(20).optional(),
  address: line(200).optional(),
  bio: text(2000).optional(),
  taxid: line(40).optional(),
  licensenumber: line(40).optional(),
  insurancenumber: line(40).optional(),
  bloodgroup: line(8).optional(),
  primphysician: line(120).optional(),
  specialization: line(120).optional(),
};
export type ProfileField = keyof typeof profileFields;

/** In the profile an empty date or gender removes the value. Any other invalid value gets the message of `schema`. */
const emptyOr = <S extends z.ZodType>(schema: S) => z.union([schema, z.literal('')]);
export const ProfileChange = z
  .strictObject({
    ...profileFields,
    dob: emptyOr(Dob),
    gender: emptyOr(Gender),
    username: Username,
  })
  .partial();

/** The language of a person’s mails and device notifications. */
export const Language = z.enum(languageCodes);

/** The id of the photo that is shown of a person; another photo has another id. Absent without one. */
const photo = Id.optional();

export const UserRef = z.object({ id: Id, firstname: z.string(), lastname: z.string(), photo });
export type UserRef = z.infer<typeof UserRef>;

const optionalText = z.string().optional();
const shared = {
  id: Id,
  email: z.string(),
  username: z.string(),
  firstname: z.string(),
  lastname: z.string(),
  photo,
  active: z.boolean(),
  gender: optionalText,
};
const full = {
  ...shared,
  status: UserStatus.optional(),
  createAt: Time.optional(),
  language: Language.optional(),
  /** False when the person has turned read receipts off. Present for oneself. */
  readReceipts: z.boolean().optional(),
  /** True with an authenticator app; absent without one. */
  totp: z.boolean().optional(),
  /** True with a passkey; absent without one. */
  passkeys: z.boolean().optional(),
  phone: optionalText,
  dob: optionalText,
  country: optionalText,
  state: optionalText,
  city: optionalText,
  zipcode: optionalText,
  address: optionalText,
  bio: optionalText,
  taxid: optionalText,
  licensenumber: optionalText,
  insurancenumber: optionalText,
  bloodgroup: optionalText,
  primphysician: optionalText,
  specialization: optionalText,
};
/** One account; its role is an object. Fields that the viewer may not see are absent. */
export const User = z.object({ ...full, role: z.object({ name: RoleName }) });
export type User = z.infer<typeof User>;
/** The same account in a list; its role is a string. */
export const UserRow = z.object({ ...full, role: RoleName });
export type UserRow = z.infer<typeof UserRow>;

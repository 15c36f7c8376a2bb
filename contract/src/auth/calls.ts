import { z } from 'zod';
import { call } from '../call.js';
import { limits } from '../limits.js';
import { texts } from '../texts.js';
import { Email, Password, profileFields, User, Username } from '../users/schemas.js';

/** ASCII digits only: other scripts' digits would not match what was mailed. */
export const Code = z.string().regex(new RegExp(`^[0-9]{${limits.codeDigits}}$`), texts.validCode);

export const Registration = z.strictObject({
  ...profileFields,
  email: Email,
  username: Username,
  password: Password,
  role: z.enum(['patient', 'healthProvider']),
  /** Sent by the seed's client; an account is active from the start. */
  active: z.unknown().optional(),
});

/** Passwords that are checked, not chosen: any text up to a length that still hashes quickly. */
const AnyPassword = z.string().min(1, 'This field is required.').max(1000);

const ResetByCode = z.strictObject({ email: Email, otp: Code, newPassword: Password });
const ResetByToken = z.strictObject({ token: z.string().min(1).max(200).optional(), password: Password });

const Session = z.object({ token: z.string(), user: User });

export const DemoPerson = z.object({
  role: z.string(),
  name: z.string(),
  email: z.string(),
  password: z.string(),
});

export const authCalls = {
  register: call({
    method: 'post',
    path: '/auth/register',
    who: 'anyone',
    summary: 'Open an account; patients get a verification token and a code by mail, providers wait for approval',
    body: Registration,
    data: z.object({ user: User, token: z.string().optional() }),
    status: 201,
    creates: true,
    fails: ['TOO_MANY_REQUESTS'],
  }),
  login: call({
    method: 'post',
    path: '/auth/login',
    who: 'anyone',
    summary: 'Check the password; gives a verification token and mails a code',
    body: z.strictObject({ email: Email, password: AnyPassword }),
    data: Session,
    fails: ['INVALID_CREDENTIALS', 'ACCOUNT_PENDING', 'ACCOUNT_REJECTED', 'ACCOUNT_INACTIVE', 'TOO_MANY_REQUESTS'],
  }),
  confirm: call({
    method: 'post',
    path: '/auth/confirm',
    who: 'verification',
    summary: 'Check the mailed code; gives an access token and the refresh cookie',
    body: z.strictObject({ code: Code }),
    data: Session,
    fails: ['WRONG_CODE', 'CODE_LOCKED', 'EXPIRED'],
  }),
  resendCode: call({
    method: 'post',
    path: '/auth/resend-code',
    who: 'verification',
    summary: 'Mail a new code; the previous one ends',
    body: z.strictObject({}),
    fails: ['TOO_MANY_REQUESTS'],
  }),
  refresh: call({
    method: 'post',
    path: '/auth/refresh',
    who: 'refreshCookie',
    summary: 'A new access token for the refresh cookie',
    body: z.strictObject({}),
    data: z.object({ token: z.string() }),
  }),
  logout: call({
    method: 'post',
    path: '/auth/logout',
    who: 'session.end',
    action: 'auth.logout',
    summary: 'End this session: token and sockets are dead at once',
    body: z.strictObject({}),
  }),
  forgotPassword: call({
    method: 'post',
    path: '/auth/forgot-password',
    who: 'anyone',
    summary: 'Mail a reset code and link, if the account exists',
    body: z.strictObject({ email: Email }),
    fails: ['TOO_MANY_REQUESTS'],
  }),
  resetPassword: call({
    method: 'post',
    path: '/auth/reset-password',
    who: 'anyone',
    summary: 'Set a new password by mailed code, or by the mailed link’s token; every session ends',
    body: z.union([ResetByCode, ResetByToken]),
    fails: ['WRONG_CODE', 'CODE_LOCKED', 'EXPIRED', 'TOO_MANY_REQUESTS'],
  }),
  demoPeople: call({
    method: 'get',
    path: '/demo',
    who: 'anyone',
    summary: 'The demo people of an embedded start, if there are any',
    data: z.array(DemoPerson),
  }),
};

import { z } from 'zod';
import type { AuditAction } from '../audit/actions.js';
import { call } from '../call.js';
import { PageQuery } from '../envelope.js';
import { Id, Params, Time } from '../ids.js';
import { Password } from '../users/schemas.js';
import { AnyPassword, Code, oneOf } from './calls.js';

/** One place where the person is signed in. */
export const OwnSession = z.object({
  id: Id,
  createAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
  ip: z.string(),
  /** As far as the browser said; no more than its family and its system is kept. */
  browser: z.string().optional(),
  system: z.string().optional(),
  /** The one that asks. */
  current: z.boolean(),
});
export type OwnSession = z.infer<typeof OwnSession>;

/** What of the audit log the owner of an account is shown as their sign-ins. */
export const signInActions = [
  'auth.login',
  'auth.confirm',
  'auth.refreshReused',
  'auth.resetPassword',
  'auth.changePassword',
  'totp.on',
  'totp.off',
  'totp.recovery',
] as const satisfies readonly AuditAction[];

export const SignInEntry = z.object({
  id: Id,
  createAt: Time,
  actiontype: z.enum(signInActions),
  status: z.enum(['success', 'denied', 'failed']),
  ipaddress: z.string(),
  reason: z.string(),
});
export type SignInEntry = z.infer<typeof SignInEntry>;

export const TotpState = z.object({
  on: z.boolean(),
  since: Time.optional(),
  recoveryCodesLeft: z.int(),
  /** The account’s role has to have one. */
  required: z.boolean(),
});
export type TotpState = z.infer<typeof TotpState>;

/** To type into an authenticator app, or to scan as a QR code. */
export const TotpSetUp = z.object({ secret: z.string(), uri: z.string() });
/** Shown once. */
export const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

/** That it is still the same person: what a session alone does not say. */
const OwnProof = z
  .strictObject({ code: Code.optional(), password: AnyPassword.optional() })
  .superRefine(oneOf('code', 'password'));

export const securityCalls = {
  listSessions: call({
    method: 'get',
    path: '/auth/sessions',
    who: 'session.manage',
    action: 'session.list',
    summary: 'Where the caller is signed in now',
    data: z.array(OwnSession),
  }),
  endOtherSessions: call({
    method: 'delete',
    path: '/auth/sessions',
    who: 'session.manage',
    action: 'session.end',
    summary: 'Sign out everywhere else; those tokens and sockets are dead at once',
    data: z.object({ ended: z.int() }),
  }),
  endSession: call({
    method: 'delete',
    path: '/auth/sessions/:id',
    who: 'session.manage',
    action: 'session.end',
    summary: 'End one of the caller’s sessions; its token and sockets are dead at once',
    params: Params,
  }),
  listSignIns: call({
    method: 'get',
    path: '/auth/history',
    who: 'session.manage',
    action: 'session.history',
    summary: 'The caller’s sign-ins, and those that failed; the newest first',
    query: PageQuery,
    data: z.array(SignInEntry),
    paged: true,
  }),
  changePassword: call({
    method: 'put',
    path: '/auth/password',
    who: 'password.change',
    action: 'auth.changePassword',
    summary: 'Another password, for the current one; every other session ends',
    body: z.strictObject({ currentPassword: AnyPassword, newPassword: Password }),
    throttles: ['securityChange', 'ownPassword'],
  }),
  getTotp: call({
    method: 'get',
    path: '/auth/totp',
    who: 'totp.manage',
    action: 'totp.read',
    summary: 'Whether the caller signs in with an authenticator app',
    data: TotpState,
  }),
  setUpTotp: call({
    method: 'post',
    path: '/auth/totp',
    who: 'totp.manage',
    action: 'totp.start',
    summary:
      'Without a code: a new secret for an authenticator app. With the app’s code: turn it on, and get recovery codes',
    body: z.strictObject({ code: Code.optional() }),
    data: z.union([TotpSetUp, RecoveryCodes]),
    fails: ['WRONG_CODE', 'CODE_LOCKED', 'EXPIRED', 'CONFLICT'],
    causes: ['totp.on'],
    throttles: ['securityChange'],
  }),
  removeTotp: call({
    method: 'delete',
    path: '/auth/totp',
    who: 'totp.manage',
    action: 'totp.off',
    summary: 'Sign in by mailed code again; needs the app’s code or the password',
    body: OwnProof,
    fails: ['NOT_FOUND', 'WRONG_CODE', 'CODE_LOCKED', 'FORBIDDEN'],
    throttles: ['securityChange', 'secondFactor'],
  }),
  renewRecoveryCodes: call({
    method: 'post',
    path: '/auth/totp/recovery-codes',
    who: 'totp.manage',
    action: 'totp.recovery',
    summary: 'Ten new recovery codes in place of those before; needs the app’s code or the password',
    body: OwnProof,
    data: RecoveryCodes,
    fails: ['NOT_FOUND', 'WRONG_CODE', 'CODE_LOCKED', 'FORBIDDEN'],
    throttles: ['securityChange', 'secondFactor'],
  }),
};

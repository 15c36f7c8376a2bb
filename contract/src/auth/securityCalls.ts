import { z } from 'zod';
import type { AuditAction } from '../audit/actions.js';
import { call } from '../call.js';
import { PageQuery } from '../envelope.js';
import { Id, Params, Time } from '../ids.js';
import { texts } from '../texts.js';
import { Password } from '../users/schemas.js';
import { AnyPassword, atMostOneOf, Code } from './calls.js';
import { NewPasskey, Passkey, PasskeyAnswer, PasskeyName, PasskeyQuestion } from './passkeys.js';
import { CreatedToken, CurrentToken, NewToken, PersonalToken, tokenScopes } from './personalTokens.js';

/** One session of the person. */
export const OwnSession = z.object({
  id: Id,
  createAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
  ip: z.string(),
  /** As the browser stated it. Only its family and its system are stored. */
  browser: z.string().optional(),
  system: z.string().optional(),
  /** True for the session that makes this call. */
  current: z.boolean(),
});
export type OwnSession = z.infer<typeof OwnSession>;

/** The actions in the audit log that the owner of an account sees as their sign-ins. */
export const signInActions = [
  'auth.login',
  'auth.confirm',
  'auth.refreshReused',
  'auth.resetPassword',
  'auth.changePassword',
  'auth.notMe',
  'passkey.add',
  'passkey.remove',
  'signOn.linked',
  'signOn.unlinked',
  'signOn.ended',
  'token.create',
  'token.revoke',
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
  /** Unused recovery codes; they replace the app and passkeys alike. */
  recoveryCodesLeft: z.int(),
  /** The account’s role requires an app or a passkey. */
  required: z.boolean(),
});
export type TotpState = z.infer<typeof TotpState>;

/** The secret to type into an authenticator app, or to scan as a QR code. */
export const TotpSetUp = z.object({ secret: z.string(), uri: z.string() });
/** The recovery codes, which are shown once. */
export const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

/**
 * A fresh proof that it is still the same person; a session alone does not prove it. Each call names the fields that it
 * takes (`proof`).
 */
const proofs = { password: AnyPassword.optional(), code: Code.optional(), mailedCode: Code.optional() };
const AppProof = z.strictObject({ code: proofs.code, password: proofs.password }).superRefine(atMostOneOf);
const appProof = ['code', 'password'] as const;
/** The throttles that limit guesses at a proof. */
const proofThrottles = ['ownPassword', 'secondFactor'] as const;

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
    stepUp: 'always',
    proof: ['password', 'mailedCode'],
    summary:
      'Without a code: a new secret for an authenticator app. With the app’s code: turn it on, and get recovery codes; every other session ends',
    body: z
      .strictObject({ code: Code.optional(), password: proofs.password, mailedCode: proofs.mailedCode })
      .superRefine(atMostOneOf),
    data: z.union([TotpSetUp, RecoveryCodes]),
    fails: ['WRONG_CODE', 'CODE_LOCKED', 'EXPIRED', 'CONFLICT'],
    causes: ['totp.on'],
    throttles: ['securityChange', 'ownPassword'],
  }),
  removeTotp: call({
    method: 'delete',
    path: '/auth/totp',
    who: 'totp.manage',
    action: 'totp.off',
    stepUp: 'always',
    proof: appProof,
    summary: 'Take the authenticator app off the account; every other session ends',
    body: AppProof,
    fails: ['NOT_FOUND'],
    throttles: ['securityChange', ...proofThrottles],
  }),
  renewRecoveryCodes: call({
    method: 'post',
    path: '/auth/totp/recovery-codes',
    who: 'totp.manage',
    action: 'totp.recovery',
    stepUp: 'always',
    proof: appProof,
    summary: 'Ten new recovery codes in place of those before',
    body: AppProof,
    data: RecoveryCodes,
    fails: ['NOT_FOUND'],
    throttles: ['securityChange', ...proofThrottles],
  }),
  stepUp: call({
    method: 'post',
    path: '/auth/step-up',
    who: 'session.manage',
    action: 'auth.stepUp',
    summary: 'Prove that it is still the same person: by the password, the app’s code, a passkey or a mailed code',
    body: z
      .strictObject({ ...proofs, passkey: PasskeyAnswer.optional() })
      .superRefine(atMostOneOf)
      .refine((body) => Object.keys(body).length > 0, { path: ['password'], message: texts.required }),
    fails: ['WRONG_CODE', 'CODE_LOCKED', 'EXPIRED', 'NOT_FOUND', 'PASSKEY_REFUSED', 'STEP_UP_REQUIRED'],
    throttles: proofThrottles,
  }),
  askStepUpPasskey: call({
    method: 'post',
    path: '/auth/step-up/passkey',
    who: 'session.manage',
    action: 'auth.stepUp',
    summary: 'A challenge for one of the caller’s passkeys',
    body: z.strictObject({}),
    data: PasskeyQuestion,
    fails: ['NOT_FOUND'],
  }),
  mailStepUpCode: call({
    method: 'post',
    path: '/auth/step-up/mail',
    who: 'session.manage',
    action: 'auth.stepUpMail',
    summary: 'Mail a code that proves it is still the same person, where the account has neither app nor passkey',
    body: z.strictObject({}),
    fails: ['CONFLICT'],
    throttles: ['verificationMail'],
  }),
  listPasskeys: call({
    method: 'get',
    path: '/auth/passkeys',
    who: 'totp.manage',
    action: 'passkey.list',
    summary: 'The caller’s passkeys; the oldest first',
    data: z.array(Passkey),
  }),
  askNewPasskey: call({
    method: 'post',
    path: '/auth/passkeys/options',
    who: 'totp.manage',
    action: 'passkey.start',
    stepUp: 'always',
    proof: ['password', 'mailedCode'],
    summary: 'A challenge for a new passkey',
    body: z.strictObject({ password: proofs.password, mailedCode: proofs.mailedCode }).superRefine(atMostOneOf),
    data: PasskeyQuestion,
    fails: ['CONFLICT'],
    throttles: ['securityChange', 'ownPassword'],
  }),
  addPasskey: call({
    method: 'post',
    path: '/auth/passkeys',
    who: 'totp.manage',
    action: 'passkey.add',
    stepUp: 'always',
    summary: 'Add a passkey; the first authenticator of an account gives recovery codes. Every other session ends',
    body: NewPasskey,
    data: z.object({ passkey: Passkey, recoveryCodes: z.array(z.string()).optional() }),
    status: 201,
    fails: ['PASSKEY_REFUSED', 'EXPIRED', 'CONFLICT'],
    throttles: ['securityChange'],
  }),
  renamePasskey: call({
    method: 'put',
    path: '/auth/passkeys/:id',
    who: 'totp.manage',
    action: 'passkey.rename',
    summary: 'Give one of the caller’s passkeys another name',
    params: Params,
    body: z.strictObject({ name: PasskeyName }),
    data: Passkey,
  }),
  removePasskey: call({
    method: 'delete',
    path: '/auth/passkeys/:id',
    who: 'totp.manage',
    action: 'passkey.remove',
    stepUp: 'always',
    proof: appProof,
    summary: 'Remove one of the caller’s passkeys; every other session ends',
    params: Params,
    body: AppProof,
    throttles: ['securityChange', ...proofThrottles],
  }),
  listTokens: call({
    method: 'get',
    path: '/auth/tokens',
    who: 'session.manage',
    action: 'token.list',
    summary: 'The caller’s personal tokens; the newest first',
    data: z.array(PersonalToken),
  }),
  createToken: call({
    method: 'post',
    path: '/auth/tokens',
    who: 'token.manage',
    action: 'token.create',
    stepUp: 'recent',
    summary: 'A token with which a program acts for the caller; it is shown in this answer only',
    body: NewToken,
    data: CreatedToken,
    status: 201,
    fails: ['CONFLICT'],
    throttles: ['securityChange'],
  }),
  getCurrentToken: call({
    method: 'get',
    path: '/auth/tokens/current',
    who: 'session.manage',
    scopes: tokenScopes,
    action: 'token.list',
    summary: 'For a program: the personal token of this call, and its person',
    data: CurrentToken,
    fails: ['NOT_FOUND'],
  }),
  revokeToken: call({
    method: 'delete',
    path: '/auth/tokens/:id',
    who: 'session.manage',
    action: 'token.revoke',
    summary: 'End one of the caller’s personal tokens at once',
    params: Params,
  }),
};

import { z } from 'zod';
import { call } from '../call.js';
import { oneOf } from '../oneOf.js';
import { texts } from '../texts.js';
import { Email, Language, Password, profileFields, User, Username } from '../users/schemas.js';
import { PasskeyAnswer, PasskeyQuestion } from './passkeys.js';
import { authRoutes } from './routes.js';
import { codePattern, recoveryCodePattern } from './rules.js';
import { type SessionField, sessionFields } from './session.js';

export const Code = z.string().regex(codePattern, texts.validCode);

/** A recovery code as it was shown, or without the dash, or in lower case. */
export const RecoveryCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(recoveryCodePattern, texts.validRecoveryCode)
  .transform((code) => code.replace('-', ''));

/**
 * The registration form requires these fields of a provider: an administrator checks them before approving the account.
 * The call itself accepts providers without them, because other clients register people with fewer fields.
 */
export const providerCredentials = ['licensenumber', 'specialization'] as const;
export type ProviderCredential = (typeof providerCredentials)[number];

/** The token of a mailed link. */
const LinkToken = z.string().min(1).max(200);

export const Registration = z.strictObject({
  ...profileFields,
  email: Email,
  username: Username,
  password: Password,
  role: z.enum(['patient', 'healthProvider']),
  language: Language.optional(),
  /** The seed's client sends it. It has no effect: an account is active from the start. */
  active: z.unknown().optional(),
  /** The token of an invitation. The address is then that of the invitation, and the link has proved it. */
  invite: LinkToken.optional(),
});

/** A password that is checked, not chosen: any text up to a length that still hashes quickly. */
export const AnyPassword = z.string().min(1, texts.required).max(1000);

const ResetByCode = z.strictObject({ email: Email, otp: Code, newPassword: Password });
const ResetByToken = z.strictObject({ token: LinkToken.optional(), password: Password });

const Session = z.object({ token: z.string(), user: User });
/** The fields of the signed-in person that a browser stores. */
export const SessionUser = User.pick(
  Object.fromEntries([...sessionFields, 'photo'].map((name) => [name, true])) as Record<SessionField | 'photo', true>,
);
export type SessionUser = z.infer<typeof SessionUser>;

/** The second step of a sign-in: the mailed code, the code of the authenticator app, or a passkey. */
export const SignInMethod = z.enum(['mail', 'totp', 'passkey']);
export type SignInMethod = z.infer<typeof SignInMethod>;

/** Allows at most one field in a body. */
export function atMostOneOf(body: object, report: z.RefinementCtx<unknown>): void {
  const [, second] = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (second) report.addIssue({ code: 'custom', path: [second], message: 'Send one of the two.' });
}

export const DemoPerson = z.object({
  role: z.string(),
  name: z.string(),
  email: z.string(),
  password: z.string(),
});

/** The things that a change of sign-in may add, and that "this was not me" removes again. */
export const Undoable = z.enum(['app', 'passkey', 'identity', 'password', 'recoveryCodes']);
export type Undoable = z.infer<typeof Undoable>;

export const authCalls = {
  register: call({
    ...authRoutes.register,
    who: 'anyone',
    summary: 'Open an account; patients get a verification token and a code by mail, providers wait for approval',
    body: Registration,
    data: z.object({ user: User, token: z.string().optional() }),
    status: 201,
    creates: true,
    fails: ['EXPIRED', 'LOCAL_SIGN_IN_OFF'],
    causes: ['auth.register', 'invite.accepted', 'share.create'],
    throttles: ['registration', 'registrationMail'],
  }),
  login: call({
    ...authRoutes.login,
    who: 'anyone',
    summary:
      'Check the password; gives a verification token and mails a code, unless the account has an app or a passkey',
    body: z.strictObject({ email: Email, password: AnyPassword }),
    data: Session.extend({ method: SignInMethod.optional() }),
    fails: ['INVALID_CREDENTIALS', 'ACCOUNT_PENDING', 'ACCOUNT_REJECTED', 'ACCOUNT_INACTIVE', 'LOCAL_SIGN_IN_OFF'],
    causes: ['auth.login', 'auth.guesses'],
    throttles: ['loginPair', 'loginAddress', 'loginFailures', 'loginTries', 'guessMail', 'verificationMail'],
  }),
  confirm: call({
    ...authRoutes.confirm,
    who: 'verification',
    summary:
      'Check the mailed code, the authenticator app’s or a recovery code; gives an access token and the refresh cookie',
    body: oneOf(
      z.strictObject({
        code: Code.optional(),
        recoveryCode: RecoveryCode.optional(),
        /** After a sign-in at a provider, which this completes. */
        passkey: PasskeyAnswer.optional(),
      }),
      'code',
      'recoveryCode',
      'passkey',
    ),
    data: Session.extend({
      user: SessionUser,
      /** The role needs an authenticator app or a passkey. Until the account has one, it can do nothing else. */
      setUpTotp: z.literal(true).optional(),
    }),
    fails: ['WRONG_CODE', 'CODE_LOCKED', 'EXPIRED', 'PASSKEY_REFUSED', 'SIGN_ON_EXPIRED', 'LOCAL_SIGN_IN_OFF'],
    causes: ['invite.accepted', 'share.create'],
    throttles: ['secondFactor'],
  }),
  resendCode: call({
    ...authRoutes.resendCode,
    who: 'verification',
    summary: 'Mail a new code; the previous one ends',
    body: z.strictObject({}),
    fails: ['CONFLICT', 'EXPIRED'],
    causes: ['auth.resendCode'],
    throttles: ['verificationMail'],
  }),
  refresh: call({
    ...authRoutes.refresh,
    who: 'refreshCookie',
    summary: 'A new access token for the refresh cookie',
    body: z.strictObject({}),
    data: z.object({ token: z.string() }),
  }),
  logout: call({
    ...authRoutes.logout,
    who: 'session.end',
    action: 'auth.logout',
    summary: 'End this session: token and sockets are dead at once',
    body: z.strictObject({}),
    /** The address at the provider where the person also signs out there. */
    data: z.object({ url: z.string() }).nullable(),
  }),
  forgotPassword: call({
    ...authRoutes.forgotPassword,
    who: 'anyone',
    summary: 'Mail a reset code and link, if the account exists',
    body: z.strictObject({ email: Email }),
    causes: ['auth.forgotPassword'],
    throttles: ['reset', 'resetPair', 'resetMail'],
  }),
  resetPassword: call({
    ...authRoutes.resetPassword,
    who: 'anyone',
    summary: 'Set a new password by mailed code, or by the mailed link’s token; every session ends',
    body: z.union([ResetByCode, ResetByToken]),
    fails: ['WRONG_CODE', 'CODE_LOCKED', 'EXPIRED'],
    causes: ['auth.resetPassword'],
    throttles: ['reset', 'resetCode'],
  }),
  readInvitation: call({
    ...authRoutes.readInvitation,
    who: 'anyone',
    summary: 'By the link of an invitation: the address that it is for, and if that address has an account',
    body: z.strictObject({ token: LinkToken }),
    data: z.object({ email: z.string(), hasAccount: z.boolean() }),
    fails: ['EXPIRED'],
    throttles: ['invitation'],
  }),
  acceptInvitation: call({
    ...authRoutes.acceptInvitation,
    who: 'anyone',
    summary: 'By the link of an invitation: give the waiting images to the account that its address has',
    body: z.strictObject({ token: LinkToken }),
    fails: ['EXPIRED', 'ACCOUNT_PENDING', 'ACCOUNT_REJECTED', 'ACCOUNT_INACTIVE'],
    causes: ['invite.accepted', 'share.create'],
    throttles: ['invitation'],
  }),
  notMe: call({
    ...authRoutes.notMe,
    who: 'anyone',
    summary: 'By the link of a mail about a change of sign-in: end every session, and take back what the change added',
    body: z.strictObject({ token: LinkToken }),
    data: z.object({ undone: Undoable.optional() }),
    fails: ['EXPIRED'],
    throttles: ['notMe'],
  }),
  askPasskey: call({
    ...authRoutes.askPasskey,
    who: 'anyone',
    summary: 'A challenge for a sign-in with a passkey; no address is asked for',
    body: z.strictObject({}),
    data: PasskeyQuestion,
  }),
  passkeySignIn: call({
    ...authRoutes.passkeySignIn,
    who: 'anyone',
    summary: 'Sign in with a passkey alone; gives an access token and the refresh cookie',
    body: PasskeyAnswer,
    data: Session.extend({ user: SessionUser }),
    fails: [
      'PASSKEY_REFUSED',
      'EXPIRED',
      'ACCOUNT_PENDING',
      'ACCOUNT_REJECTED',
      'ACCOUNT_INACTIVE',
      'LOCAL_SIGN_IN_OFF',
    ],
    throttles: ['loginAddress'],
  }),
  demoPeople: call({
    ...authRoutes.demoPeople,
    who: 'anyone',
    summary: 'The demo people of an embedded start, if there are any',
    data: z.array(DemoPerson),
  }),
};

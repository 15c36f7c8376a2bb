import { z } from 'zod';
import { SessionUser, SignInMethod } from '../auth/calls.js';
import { call } from '../call.js';
import { Id, Params, Time } from '../ids.js';
import { User } from '../users/schemas.js';
import { signOnRoutes } from './routes.js';

const ProviderId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/);
const ProviderParams = z.strictObject({ provider: ProviderId });

/** A screen of the app, without host: the person returns there after the sign-in. Any other text is dropped. */
export const ReturnTo = z
  .string()
  .max(500)
  .transform((path) => (/^\/(?![/\\])[^\s\\]*$/.test(path) ? path : undefined))
  .optional();

const Begin = z.strictObject({ returnTo: ReturnTo });
const Address = z.object({ url: z.string() });

/** The query with which the provider sent the browser back, as it is. */
const Finish = z.strictObject({ query: z.string().max(8_000) });

/** The failures of each answer of a provider. */
const refused = ['SIGN_ON_REFUSED', 'SIGN_ON_EXPIRED', 'SIGN_ON_CANCELLED', 'SIGN_ON_AWAY', 'NOT_FOUND'] as const;

/** A provider of single sign-on, as the login page shows it. */
export const SignOnProvider = z.object({ id: ProviderId, name: z.string() });
export type SignOnProvider = z.infer<typeof SignOnProvider>;

/** An account at a provider with which the person signs in. */
export const Identity = z.object({
  id: Id,
  provider: z.string(),
  /** The provider's name; its id when it is not configured any more. */
  name: z.string(),
  createAt: Time,
  usedAt: Time.optional(),
});
export type Identity = z.infer<typeof Identity>;

export const signOnCalls = {
  listSignOn: call({
    ...signOnRoutes.listSignOn,
    who: 'anyone',
    summary: 'The providers of single sign-on, and who may still sign in with a password',
    data: z.object({ providers: z.array(SignOnProvider), local: z.enum(['all', 'patients', 'none']) }),
  }),
  beginSignOn: call({
    ...signOnRoutes.beginSignOn,
    who: 'anyone',
    summary: 'The address at the provider where the browser signs in. Sets the cookie that binds the answer to it',
    params: ProviderParams,
    body: Begin,
    data: Address,
    fails: ['SIGN_ON_AWAY'],
    throttles: ['signOn'],
  }),
  finishSignOn: call({
    ...signOnRoutes.finishSignOn,
    who: 'anyone',
    summary:
      'The provider’s answer. Gives an access token and the refresh cookie, or a verification token for the second factor',
    params: ProviderParams,
    body: Finish,
    data: z.object({
      token: z.string(),
      user: z.union([SessionUser, User]),
      /** The second step that is left. Absent: the person is signed in. */
      method: SignInMethod.optional(),
      setUpTotp: z.literal(true).optional(),
      returnTo: z.string().optional(),
    }),
    fails: [
      ...refused,
      'SIGN_ON_NO_ACCOUNT',
      'SIGN_ON_UNVERIFIED',
      'SIGN_ON_ADDRESS_TAKEN',
      'ACCOUNT_PENDING',
      'ACCOUNT_REJECTED',
      'ACCOUNT_INACTIVE',
      'LAST_ADMIN',
      'LAST_BREAK_GLASS',
    ],
    causes: ['auth.register', 'auth.login', 'signOn.linked', 'user.role', 'invite.accepted', 'share.create'],
    throttles: ['signOn', 'verificationMail'],
  }),
  endSignOn: call({
    method: 'post',
    path: '/auth/sign-on/:provider/back-channel-logout',
    who: 'anyone',
    summary: 'For the provider: end the sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0)',
    params: ProviderParams,
    body: z.object({ logout_token: z.string().min(1).max(20_000) }),
    form: true,
    fails: ['SIGN_ON_REFUSED', 'SIGN_ON_AWAY', 'NOT_FOUND'],
    throttles: ['signOnLogout'],
  }),
  beginSignOnStepUp: call({
    method: 'post',
    path: '/auth/step-up/sign-on',
    who: 'session.manage',
    action: 'auth.stepUp',
    summary: 'The address at the provider of this session where the person signs in again',
    body: Begin,
    data: Address,
    fails: ['NOT_FOUND', 'SIGN_ON_AWAY'],
    throttles: ['signOn'],
  }),
  finishSignOnStepUp: call({
    ...signOnRoutes.finishSignOnStepUp,
    who: 'session.manage',
    action: 'auth.stepUp',
    summary: 'The provider’s answer to a step-up: the same person has signed in there again, just now',
    params: ProviderParams,
    body: Finish,
    data: z.object({ returnTo: z.string().optional() }),
    fails: refused,
    throttles: ['signOn'],
  }),
  listIdentities: call({
    method: 'get',
    path: '/auth/identities',
    who: 'session.manage',
    action: 'signOn.listed',
    summary: 'The accounts at providers with which the caller signs in',
    data: z.array(Identity),
  }),
  beginLink: call({
    method: 'post',
    path: '/auth/identities/:provider/begin',
    who: 'session.manage',
    action: 'signOn.linked',
    stepUp: 'recent',
    summary: 'The address at the provider where the caller signs in, to link that account',
    params: ProviderParams,
    body: Begin,
    data: Address,
    fails: ['SIGN_ON_AWAY'],
    throttles: ['securityChange'],
  }),
  finishLink: call({
    ...signOnRoutes.finishLink,
    who: 'session.manage',
    action: 'signOn.linked',
    stepUp: 'recent',
    summary: 'The provider’s answer: link that account. Every other session ends',
    params: ProviderParams,
    body: Finish,
    data: z.object({ returnTo: z.string().optional() }),
    fails: [...refused, 'SIGN_ON_LINKED'],
    throttles: ['securityChange'],
  }),
  unlink: call({
    method: 'delete',
    path: '/auth/identities/:id',
    who: 'session.manage',
    action: 'signOn.unlinked',
    stepUp: 'recent',
    summary: 'Unlink an account at a provider; every other session ends',
    params: Params,
    throttles: ['securityChange'],
  }),
};

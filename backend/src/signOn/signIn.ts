import type { DataOf } from '@lightbox/contract/call.js';
import type { signOnCalls } from '@lightbox/contract/signOn/calls.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { openText, sealText } from '@lightbox/core/keys/seal.js';
import type { IdentityDoc } from '@lightbox/core/models/identity.js';
import type { SignOn } from '@lightbox/core/models/signOn.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import * as oidc from 'openid-client';
import { accountRefusal } from '../auth/accountRefusal.js';
import { issueCode } from '../auth/codes.js';
import { beginAccess } from '../auth/endAccess.js';
import { openSession, recordFailure, secondStepOf } from '../auth/login.js';
import type { Answer, Context, Gateway } from '../context.js';
import { presentUnconfirmed } from '../users/present.js';
import { accountOf, type Found, followRole } from './account.js';
import { beginFlow, finishFlow, type SignedOn } from './flow.js';
import { noteSignOn } from './identities.js';

/** Longer ID tokens are not kept: the sign-out at the provider then asks the person. */
const HINT_LENGTH = 8_000;

export async function listSignOn({
  gateway,
}: Context<typeof signOnCalls.listSignOn>): Promise<Answer<DataOf<typeof signOnCalls.listSignOn>>> {
  return {
    data: {
      providers: gateway.signOn.all.map(({ id, name }) => ({ id, name })),
      local: await gateway.settings.get('signIn.local'),
    },
  };
}

type Begin = typeof signOnCalls.beginSignOn;

export async function beginSignOn({ gateway, params, body, req, res }: Context<Begin>): Promise<Answer<DataOf<Begin>>> {
  return { data: { url: await beginFlow(gateway, { req, res, ...params, ...body, purpose: { for: 'signIn' } }) } };
}

type Finish = typeof signOnCalls.finishSignOn;

/**
 * Signs in the person whom a provider names. The sign-in there counts as the first factor, and as both where the
 * configuration says so; else the second one of the product follows, as after a password.
 */
export async function finishSignOn({
  gateway,
  actor,
  params,
  body,
  req,
  res,
}: Context<Finish>): Promise<Answer<DataOf<Finish>>> {
  const signedOn = await finishFlow(gateway, { req, res, ...params, ...body, purpose: { for: 'signIn' } });
  const found = await accountOf(gateway, actor, signedOn);
  const user = await admit(gateway, actor, found.user, signedOn);
  const signOn = signOnOf(gateway, found, signedOn);
  const back = signedOn.returnTo ? { returnTo: signedOn.returnTo } : {};
  if (!signOn.strong) return { data: { ...(await askSecondStep(gateway, actor, user, signOn)), ...back } };
  const { data } = await openSession(
    gateway,
    actor,
    { user, reason: `signOn:${signOn.provider}`, req, res, signOn },
    async ({ session }) => {
      if (!(await beginAccess(gateway, user, session))) throw new AppError('SIGN_ON_EXPIRED');
      await noteSignOn(gateway, signOn, session);
    },
  );
  return { data: { ...data, ...back } };
}

/** Returns the account with the role that its provider gives it now. Throws when the account may not sign in. */
async function admit(gateway: Gateway, actor: Actor, user: UserDoc, signedOn: SignedOn): Promise<UserDoc> {
  const refused = accountRefusal(user);
  try {
    if (refused) throw new AppError(refused);
    return await followRole(gateway, actor, user, signedOn);
  } catch (error) {
    if (error instanceof AppError) await recordFailure(gateway, actor.ip, user._id, 'auth.login', error.code);
    throw error;
  }
}

function signOnOf({ keys }: Gateway, { identity }: Found, { provider, claims, sid, idToken }: SignedOn): SignOn {
  const { amr, acr } = provider.secondFactor;
  const used = [claims.amr].flat();
  return {
    identity,
    provider: provider.id,
    strong: amr.some((value) => used.includes(value)) || acr.some((value) => value === claims.acr),
    ...(sid ? { sid } : {}),
    ...(idToken.length <= HINT_LENGTH ? { hint: sealText(keys.signOn, `hint/${identity}`, idToken) } : {}),
  };
}

/** Begins the product's own second step. The session is opened by `POST /auth/confirm`. */
async function askSecondStep(gateway: Gateway, actor: Actor, user: UserDoc, signOn: SignOn) {
  const method = secondStepOf(user);
  if (method === 'mail') await gateway.throttle.take('verificationMail', { caller: String(user._id) });
  const codeId = await gateway.events.change(actor, async (tx) => {
    if (!(await beginAccess(gateway, user, tx.session))) throw new AppError('SIGN_ON_EXPIRED');
    const purpose = method === 'mail' ? 'signIn' : 'totp';
    const code = await issueCode(gateway, user._id, purpose, tx.session, { signOn });
    tx.record({
      type: 'auth.login',
      actor: user._id,
      record: user._id,
      reason: `signOn:${signOn.provider}`,
      refs: method === 'mail' ? { code } : {},
    });
    return code;
  });
  const token = gateway.tokens.verification(String(user._id), String(codeId));
  return { token, user: presentUnconfirmed(user), method };
}

/** Returns the address at which the person of a session signs out at the provider too; null when there is none. */
export async function endSessionUrl(gateway: Gateway, signOn: SignOn | undefined): Promise<string | null> {
  if (!signOn) return null;
  try {
    const { client } = await gateway.signOn.discover(signOn.provider);
    if (!client.serverMetadata().end_session_endpoint) return null;
    const hint = signOn.hint && openText(gateway.keys.signOn, `hint/${signOn.identity}`, signOn.hint);
    return oidc.buildEndSessionUrl(client, {
      post_logout_redirect_uri: `${gateway.config.publicUrl}/login`,
      ...(hint ? { id_token_hint: hint } : {}),
    }).href;
  } catch {
    // The person is signed out here all the same.
    return null;
  }
}

type BeginStepUp = typeof signOnCalls.beginSignOnStepUp;

export async function beginSignOnStepUp({
  gateway,
  viewer,
  body,
  req,
  res,
}: Context<BeginStepUp>): Promise<Answer<DataOf<BeginStepUp>>> {
  const session = await gateway.readSession(viewer.sessionId);
  if (!session?.signOn) throw new AppError('NOT_FOUND');
  const { provider } = session.signOn;
  const purpose = { for: 'stepUp', session: viewer.sessionId } as const;
  return { data: { url: await beginFlow(gateway, { req, res, provider, ...body, purpose }) } };
}

type FinishStepUp = typeof signOnCalls.finishSignOnStepUp;

/** Accepts a fresh sign-in at the provider as a proof, if it is that of the same person. */
export async function finishSignOnStepUp({
  gateway,
  actor,
  viewer,
  params,
  body,
  req,
  res,
}: Context<FinishStepUp>): Promise<Answer<DataOf<FinishStepUp>>> {
  const purpose = { for: 'stepUp', session: viewer.sessionId } as const;
  const event = { type: 'auth.stepUp', record: viewer.sessionId } as const;
  const { Identity, Session } = gateway.models;
  try {
    const { provider, subject, returnTo } = await finishFlow(gateway, { req, res, ...params, ...body, purpose });
    const mine = { issuer: provider.issuer, subject, user: viewer._id };
    const identity = await Identity.findOne(mine).lean<IdentityDoc>();
    if (!identity) throw new AppError('SIGN_ON_REFUSED');
    await gateway.events.change(actor, async (tx) => {
      await Session.updateOne(
        { _id: viewer.sessionId },
        { $set: { stepUpAt: gateway.clock.now() } },
        { session: tx.session },
      );
      tx.record({ ...event, reason: 'signOn' });
      return viewer.sessionId;
    });
    return { data: returnTo ? { returnTo } : {} };
  } catch (error) {
    if (error instanceof AppError && error.code !== 'NOT_FOUND') {
      await gateway.events.record(actor, { ...event, status: 'failed', reason: error.code });
    }
    throw error;
  }
}

import { limits } from '@lightbox/contract/limits.js';
import type { SignOnProvider } from '@lightbox/core/config/singleSignOn.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { isSame } from '@lightbox/core/keys/isSame.js';
import { openText, sealText } from '@lightbox/core/keys/seal.js';
import type { CookieOptions, Request, Response } from 'express';
import * as oidc from 'openid-client';
import type { Gateway } from '../context.js';
import { away, type Discovered } from './providers.js';

const COOKIE = 'lightbox_sign_on';
const PATH = '/api/auth';
/** The clocks of the provider and of this machine may differ by as much. */
const SKEW_SECONDS = 30;

/** The purpose of a way to a provider and back. A step-up and a link belong to a session. */
export type Purpose = { for: 'signIn' } | { for: 'stepUp' | 'link'; session: ObjectId };

/** The content of the cookie, sealed, while its person is at the provider. */
interface Flow {
  id: string;
  provider: string;
  purpose: string;
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
  /** In seconds. */
  begunAt: number;
  returnTo?: string | undefined;
}

const purposeText = (purpose: Purpose) =>
  purpose.for === 'signIn' ? purpose.for : `${purpose.for} ${String(purpose.session)}`;

const cookieOptions = ({ config }: Gateway): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  secure: config.publicUrl.startsWith('https:'),
  path: PATH,
});

/** Returns the origin of the page that asks: on loopback the product has two names, and cookies belong to one. */
const originOf = ({ config }: Gateway, req: Request): string => {
  const origin = req.get('origin');
  return origin && config.allowedOrigins.includes(origin) ? origin : config.publicUrl;
};

/** Returns the address at the provider, and sets the cookie without which its answer is worth nothing. */
export async function beginFlow(
  gateway: Gateway,
  {
    req,
    res,
    provider: id,
    purpose,
    returnTo,
  }: {
    req: Request;
    res: Response;
    provider: string;
    purpose: Purpose;
    returnTo?: string | undefined;
  },
): Promise<string> {
  const { provider, client } = await gateway.signOn.discover(id);
  const now = gateway.clock.now().getTime();
  const flow: Flow = {
    id: String(newId(gateway.clock.now())),
    provider: id,
    purpose: purposeText(purpose),
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    redirectUri: `${originOf(gateway, req)}/sign-on/${id}`,
    begunAt: Math.floor(now / 1000),
    ...(returnTo ? { returnTo } : {}),
  };
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: flow.redirectUri,
    scope: provider.scopes,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: 'S256',
    ...(purpose.for === 'signIn' ? {} : { prompt: 'login', max_age: '0' }),
  });
  const sealed = sealText(gateway.keys.signOn, 'flow', JSON.stringify(flow));
  res.cookie(COOKIE, sealed, { ...cookieOptions(gateway), maxAge: limits.ceremonyMinutes * 60_000 });
  return url.href;
}

/** A person whom a provider has signed in just now. */
export interface SignedOn {
  provider: SignOnProvider;
  subject: string;
  claims: Readonly<Record<string, unknown>>;
  sid?: string;
  idToken: string;
  returnTo?: string | undefined;
}

/**
 * Checks the answer of a provider against the cookie of this browser, and changes it for the claims about the person.
 * Each way to a provider counts once. Throws `SIGN_ON_EXPIRED`, `SIGN_ON_CANCELLED`, `SIGN_ON_REFUSED` or `SIGN_ON_AWAY`.
 */
export async function finishFlow(
  gateway: Gateway,
  {
    req,
    res,
    provider: id,
    purpose,
    query,
  }: {
    req: Request;
    res: Response;
    provider: string;
    purpose: Purpose;
    query: string;
  },
): Promise<SignedOn> {
  gateway.signOn.require(id);
  const flow = flowOf(gateway, req, id, purpose);
  const answer = new URLSearchParams(query);
  // Another browser's answer leaves this browser's own flow as it is.
  if (!isSame(flow.state, answer.get('state') ?? '')) throw new AppError('SIGN_ON_EXPIRED');
  res.clearCookie(COOKIE, cookieOptions(gateway));
  await spend(gateway, flow);
  if (answer.get('error') === 'access_denied') throw new AppError('SIGN_ON_CANCELLED');
  const discovered = await gateway.signOn.discover(id);
  const claims = await exchange(gateway, discovered, flow, new URL(`${flow.redirectUri}?${answer}`));
  if (purpose.for !== 'signIn' && !isFresh(flow, claims.claims)) throw new AppError('SIGN_ON_REFUSED');
  return { ...claims, provider: discovered.provider, returnTo: flow.returnTo };
}

function flowOf(gateway: Gateway, req: Request, provider: string, purpose: Purpose): Flow {
  const sealed = (req.cookies as Record<string, string | undefined>)[COOKIE] ?? '';
  const opened = openText(gateway.keys.signOn, 'flow', sealed);
  const flow = opened === null ? null : (JSON.parse(opened) as Flow);
  const ends = ((flow?.begunAt ?? 0) + limits.ceremonyMinutes * 60) * 1000;
  if (flow?.provider !== provider || flow.purpose !== purposeText(purpose) || ends <= gateway.clock.now().getTime()) {
    throw new AppError('SIGN_ON_EXPIRED');
  }
  return flow;
}

async function spend({ models }: Gateway, { id, begunAt }: Flow): Promise<void> {
  const expiresAt = new Date((begunAt + limits.ceremonyMinutes * 60) * 1000);
  await models.Ceremony.create([{ _id: oid(id), expiresAt }]).catch((error) => {
    throw isDuplicate(error) ? new AppError('SIGN_ON_EXPIRED') : error;
  });
}

async function exchange(
  gateway: Gateway,
  { provider, client }: Discovered,
  { state, nonce, verifier }: Flow,
  address: URL,
): Promise<Pick<SignedOn, 'subject' | 'claims' | 'sid' | 'idToken'>> {
  try {
    const tokens = await oidc.authorizationCodeGrant(client, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const own = tokens.claims();
    if (!own || !tokens.id_token) throw new AppError('SIGN_ON_REFUSED');
    // Some providers put the address and the roles into the answer of another endpoint.
    const wanted = ['email', ...(provider.roleClaim ? [provider.roleClaim] : [])];
    const more =
      wanted.some((claim) => own[claim] === undefined) && client.serverMetadata().userinfo_endpoint
        ? await oidc.fetchUserInfo(client, tokens.access_token, own.sub)
        : {};
    return {
      subject: own.sub,
      claims: { ...more, ...own },
      idToken: tokens.id_token,
      ...(typeof own.sid === 'string' ? { sid: own.sid } : {}),
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = codeOf(error);
    // The fault without its claims: they are about a person.
    gateway.log.warn({ provider: provider.id, fault: code }, 'a sign-in at a provider was refused');
    throw isAway(error) ? away() : new AppError('SIGN_ON_REFUSED');
  }
}

/** Returns the code of a fault for the log. The browser or the provider may have written it, so any other text is left out. */
function codeOf(error: unknown): string {
  const code =
    error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError
      ? error.error
      : String((error as { code?: unknown })?.code ?? (error as Error)?.name);
  return /^\w{1,50}$/.test(code) ? code : 'other';
}

/** True when the provider did not answer, or with a fault of its own. */
function isAway(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500;
  const { code, name, cause } = error as { code?: string; name?: string; cause?: { status?: number } };
  if (code === 'OAUTH_TIMEOUT' || name === 'TimeoutError') return true;
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return (cause?.status ?? 0) >= 500;
  return error instanceof TypeError && !code;
}

/** True when the person signed in at the provider after the begin of the flow. */
function isFresh({ begunAt }: Flow, { auth_time }: SignedOn['claims']): boolean {
  return typeof auth_time === 'number' && auth_time + SKEW_SECONDS >= begunAt;
}

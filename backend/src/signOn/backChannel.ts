import type { signOnCalls } from '@lightbox/contract/signOn/calls.js';
import { isDuplicate, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { CeremonyDoc } from '@lightbox/core/models/ceremony.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { IdentityDoc } from '@lightbox/core/models/identity.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { cutSockets, endSessions } from '../auth/sessions.js';
import type { Answer, Context, Gateway } from '../context.js';
import { away, type Discovered } from './providers.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const types = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];
/** Signatures with a public key: a token that a client secret signs is refused. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const MAX_AGE_SECONDS = 300;
const SKEW_SECONDS = 30;

interface LogoutToken extends JWTPayload {
  jti: string;
  sid?: string;
}

/** Matches what came from a sign-in at a provider: sessions, and sign-ins that wait for their second step. */
interface Named {
  user?: ObjectId;
  'signOn.provider'?: string;
  'signOn.identity'?: ObjectId;
  'signOn.sid'?: string;
}

/**
 * Ends the sessions that a logout token names, and the sign-ins that wait for their second step: those of one session at
 * the provider, or all of a person. An unknown session or person is no fault.
 */
export async function endSignOn({
  gateway,
  actor,
  params,
  body,
}: Context<typeof signOnCalls.endSignOn>): Promise<Answer<unknown>> {
  const discovered = await gateway.signOn.discover(params.provider);
  const token = await verify(discovered, body.logout_token);
  const { Ceremony, Code, Session } = gateway.models;
  const spent = spentToken(gateway, discovered, token.jti);
  const named = await namedBy(gateway, discovered, token);
  const waiting = { ...named, usedAt: { $exists: false } };
  const one =
    named &&
    ((await Session.findOne({ ...named, endedAt: { $exists: false } }).lean<SessionDoc>()) ??
      (await Code.findOne(waiting).lean<CodeDoc>()));
  if (!named || !one?.signOn) {
    await Ceremony.create([spent]).catch(refuseSpent);
    return { data: null };
  }
  const { user, signOn } = one;
  let ended: ObjectId[] = [];
  const end = gateway.events.change(actor, async (tx) => {
    // In the same transaction: a token whose sessions could not be ended works again.
    await Ceremony.create([spent], { session: tx.session });
    ended = await endSessions(gateway, named, 'signOnEnded', tx.session);
    await Code.updateMany(waiting, { $set: { usedAt: gateway.clock.now() } }, { session: tx.session });
    tx.record({ type: 'signOn.ended', actor: user, record: signOn.identity, reason: signOn.provider });
    return signOn.identity;
  });
  await end.catch(refuseSpent);
  cutSockets(gateway, ended, 'signOnEnded');
  return { data: null };
}

/** Checks the token as OpenID Connect Back-Channel Logout 1.0, 2.6, says. The specification wants 400 for a wrong one. */
async function verify({ provider, client, keys }: Discovered, jwt: string): Promise<LogoutToken> {
  const { issuer } = client.serverMetadata();
  try {
    const { payload, protectedHeader } = await jwtVerify(jwt, keys, {
      issuer,
      audience: provider.clientId,
      algorithms,
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: SKEW_SECONDS,
    });
    if (!types.includes(protectedHeader.typ?.toLowerCase()) || !isLogoutToken(payload)) {
      throw new AppError('BAD_REQUEST');
    }
    return payload;
  } catch (error) {
    const isKeysAway = error instanceof errors.JWKSTimeout || error instanceof TypeError;
    throw isKeysAway ? away() : new AppError('BAD_REQUEST');
  }
}

function isLogoutToken(payload: JWTPayload): payload is LogoutToken {
  const { events, sub, sid, jti } = payload;
  const isEnd = typeof events === 'object' && events !== null && typeof (events as never)[EVENT] === 'object';
  const names = [sub, sid].filter((value) => value !== undefined);
  const areTexts = names.length > 0 && names.every((value) => typeof value === 'string');
  // An ID token has a nonce: it must not pass for a logout token.
  return isEnd && areTexts && typeof jti === 'string' && !('nonce' in payload);
}

/** The record of a token that was used. It is the same for the same token, so a token counts once. */
function spentToken({ keys, clock }: Gateway, { provider }: Discovered, jti: string): CeremonyDoc {
  const name = hmac(keys.signOn.current.key, 'logout', provider.issuer, jti).toString('hex');
  return { _id: oid(name.slice(0, 24)), expiresAt: new Date(clock.now().getTime() + 2 * MAX_AGE_SECONDS * 1000) };
}

function refuseSpent(error: unknown): never {
  throw isDuplicate(error) ? new AppError('BAD_REQUEST') : error;
}

async function namedBy(
  { models }: Gateway,
  { provider }: Discovered,
  { sub, sid }: LogoutToken,
): Promise<Named | null> {
  const ofSession = sid === undefined ? {} : { 'signOn.sid': sid };
  if (sub === undefined) return { 'signOn.provider': provider.id, ...ofSession };
  const identity = await models.Identity.findOne({ issuer: provider.issuer, subject: sub }).lean<IdentityDoc>();
  return identity && { user: identity.user, 'signOn.identity': identity._id, ...ofSession };
}

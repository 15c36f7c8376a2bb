import type { CallShape } from '@lightbox/contract/call.js';
import type { OfferedWay } from '@lightbox/contract/envelope.js';
import { limits } from '@lightbox/contract/limits.js';
import { AppError } from '@lightbox/core/errors.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { Gateway, Viewer } from '../context.js';
import { hasSecondFactor } from './authorize.js';

/** Throws `STEP_UP_REQUIRED` when the session has no recent proof: for calls that need one for some records only. */
export async function requireProven(
  gateway: Gateway,
  viewer: Viewer,
  level: NonNullable<CallShape['stepUp']>,
): Promise<void> {
  const session = await gateway.models.Session.findById(viewer.sessionId).lean<SessionDoc>();
  if (!session || !isProven(gateway, session, level)) throw await proofRequired(gateway, viewer);
}

function isProven(
  gateway: Gateway,
  { createAt, stepUpAt }: SessionDoc,
  level: NonNullable<CallShape['stepUp']>,
): boolean {
  const proven = stepUpAt ?? (level === 'recent' ? createAt : null);
  return proven !== null && proven.getTime() > gateway.clock.now().getTime() - limits.stepUpMinutes * 60_000;
}

export const proofRequired = async (gateway: Gateway, viewer: Viewer): Promise<AppError> =>
  new AppError('STEP_UP_REQUIRED', { extra: { ways: await waysOf(gateway, viewer) } });

/**
 * Returns the ways in which this person can step up, the best one first. A sign-in at the provider is a proof too, and
 * comes back by a call of its own (`signOn/signIn.ts`). A person who came from a provider of single
 * sign-on proves it there: a password or a mailed code of this product would be a way around the provider.
 */
async function waysOf(gateway: Gateway, { _id, sessionId }: Viewer): Promise<OfferedWay[]> {
  const [user, session] = await Promise.all([gateway.readUser(_id), gateway.readSession(sessionId)]);
  const own = [...(user?.passkeyAt ? (['passkey'] as const) : []), ...(user?.totpAt ? (['code'] as const) : [])];
  if (session?.signOn) return [...own, 'signOn'];
  return [...own, 'password', ...(hasSecondFactor(user) ? [] : (['mailedCode'] as const))];
}

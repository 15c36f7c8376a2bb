import type { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { BodyOf, CallShape } from '@lightbox/contract/call.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { spendAppCode } from './appTries.js';
import { requireOwnPassword } from './changePassword.js';
import { checkCode, issueCode, useCode } from './codes.js';
import { spendAssertion } from './passkeyAssertion.js';
import { proofRequired, requireProven } from './proven.js';

type Proof = BodyOf<typeof securityCalls.stepUp>;
type Way = keyof Proof;
type Spend = (tx: ClientSession) => Promise<boolean>;

/**
 * Throws `STEP_UP_REQUIRED` when a call needs a step-up and the session has no recent one. A proof in the body counts
 * as if it had been sent to `POST /auth/step-up` before.
 */
export async function requireStepUp(
  gateway: Gateway,
  { stepUp, proof = [] }: CallShape,
  { actor, viewer, body }: { actor: Actor; viewer: Viewer | null; body: unknown },
): Promise<void> {
  if (!stepUp || !viewer) return;
  const given = Object.fromEntries(proof.map((field) => [field, (body as Proof)[field]]));
  if (wayOf(given)) return prove(gateway, actor, viewer, given);
  await requireProven(gateway, viewer, stepUp);
}

const wayOf = (proof: Proof): Way | undefined => (Object.keys(proof) as Way[]).find((way) => proof[way] !== undefined);

export async function stepUp({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof securityCalls.stepUp>): Promise<Answer<unknown>> {
  await prove(gateway, actor, viewer, body);
  return { data: null };
}

/** True when the session came from a provider of single sign-on. */
const isSignedOn = async (gateway: Gateway, { sessionId }: Viewer): Promise<boolean> =>
  (await gateway.readSession(sessionId))?.signOn !== undefined;

async function prove(gateway: Gateway, actor: Actor, viewer: Viewer, proof: Proof): Promise<void> {
  const event = { type: 'auth.stepUp', record: viewer.sessionId } as const;
  const way = wayOf(proof);
  if ((way === 'password' || way === 'mailedCode') && (await isSignedOn(gateway, viewer))) {
    throw await proofRequired(gateway, viewer);
  }
  try {
    const spend = await check(gateway, viewer, proof);
    await gateway.events.change(actor, async (tx) => {
      if (!(await spend(tx.session))) throw new AppError('WRONG_CODE');
      await gateway.models.Session.updateOne(
        { _id: viewer.sessionId },
        { $set: { stepUpAt: gateway.clock.now() } },
        { session: tx.session },
      );
      tx.record({ ...event, reason: way ?? '' });
      return viewer.sessionId;
    });
  } catch (error) {
    if (error instanceof AppError && error.code !== 'NOT_FOUND') {
      await gateway.events.record(actor, { ...event, status: 'failed', reason: error.code });
    }
    throw error;
  }
}

/** Checks a proof. Returns the function that spends it in the transaction that records the step-up. */
async function check(gateway: Gateway, viewer: Viewer, proof: Proof): Promise<Spend> {
  if (proof.passkey) {
    return spendAssertion(gateway, { purpose: 'stepUp', session: viewer.sessionId }, proof.passkey, viewer._id);
  }
  if (proof.code !== undefined) return spendAppCode(gateway, viewer._id, proof.code);
  if (proof.mailedCode !== undefined) return spendMailedCode(gateway, viewer._id, proof.mailedCode);
  await requireOwnPassword(gateway, viewer._id, 'password', proof.password ?? '');
  return async () => true;
}

async function spendMailedCode(gateway: Gateway, user: ObjectId, guess: string): Promise<Spend> {
  const newest = await gateway.models.Code.findOne({ user, purpose: 'stepUp' }).sort({ createAt: -1 }).lean<CodeDoc>();
  if (!newest) throw new AppError('EXPIRED');
  await checkCode(gateway, newest._id, guess);
  return (tx) => useCode(gateway, newest._id, tx);
}

export async function mailStepUpCode({
  gateway,
  actor,
  viewer,
}: Context<typeof securityCalls.mailStepUpCode>): Promise<Answer<unknown>> {
  if (viewer.secondFactor || (await isSignedOn(gateway, viewer))) {
    throw new AppError('CONFLICT', { message: 'Use your authenticator app, your passkey or your password.' });
  }
  await gateway.throttle.take('verificationMail', { caller: viewer.id });
  await gateway.events.change(actor, async (tx) => {
    const code = await issueCode(gateway, viewer._id, 'stepUp', tx.session);
    tx.record({ type: 'auth.stepUpMail', record: viewer._id, refs: { code } });
    return code;
  });
  return { data: null };
}

import type { authCalls } from '@lightbox/contract/auth/calls.js';
import { sessionUserOf } from '@lightbox/contract/auth/session.js';
import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import { isCode } from '@lightbox/core/keys/codes.js';
import { isPassword } from '@lightbox/core/keys/password.js';
import type { CodeDoc, TotpDoc, UserDoc } from '@lightbox/core/models/types.js';
import type { Request, Response } from 'express';
import type { Answer, Context, Gateway } from '../context.js';
import { presentUnconfirmed } from '../users/present.js';
import { type Proof, proofOf, spendProof } from './authenticator.js';
import { hasSecondFactor, needsSecondFactor } from './authorize.js';
import { issueCode, renewCode, takeTry, useCode, wrongCode } from './codes.js';
import { setSessionCookies } from './cookies.js';
import { beginAccess } from './endAccess.js';
import { evenly } from './evenTime.js';
import { startSession } from './sessions.js';

/** A little more than a password takes to check, and writing down that it was wrong. */
const LOGIN_MS = 120;

/** Checks the password and mails a code, unless an app has one or a passkey stands for it. Why an account may not sign in is told only to whoever knows its password. */
export async function login({
  gateway,
  actor,
  body,
  req,
}: Context<typeof authCalls.login>): Promise<Answer<DataOf<typeof authCalls.login>>> {
  const address = req.ip ?? '';
  const pair = `${body.email}|${address}`;
  // Taken before the password is looked at and given back when it is right: many guesses at once are no way round it.
  await gateway.throttle.take('loginAccount', pair);
  await gateway.throttle.check('loginAddress', address);

  const user = await evenly(LOGIN_MS, () => checkPassword(gateway, actor.ip, address, body));
  await gateway.throttle.reset('loginAccount', pair);
  const refused = accountRefusal(user);
  if (refused) {
    await recordFailure(gateway, actor.ip, user._id, 'auth.login', refused);
    throw new AppError(refused);
  }
  const method = user.totpAt ? 'totp' : user.passkeyAt ? 'passkey' : 'mail';
  if (method === 'mail') await gateway.throttle.take('verificationMail', String(user._id));

  const codeId = await gateway.events.change(actor, async (tx) => {
    if (!(await beginAccess(gateway, user, tx.session))) throw new AppError('INVALID_CREDENTIALS');
    const code = await issueCode(gateway, user._id, method === 'mail' ? 'signIn' : 'totp', tx.session);
    const refs = method === 'mail' ? { code } : {};
    tx.record({ type: 'auth.login', table: 'users', actor: user._id, record: user._id, refs });
    return code;
  });
  return {
    data: {
      token: gateway.tokens.verification(String(user._id), String(codeId)),
      user: presentUnconfirmed(user),
      method,
    },
  };
}

/** The account whose password this is. One that is not there takes as long to refuse as a wrong password. */
async function checkPassword(
  gateway: Gateway,
  ip: string,
  address: string,
  { email, password }: BodyOf<typeof authCalls.login>,
): Promise<UserDoc> {
  const user = await gateway.models.User.findOne({ email, deletedAt: { $exists: false } }).lean<UserDoc>();
  if ((await isPassword(user?.passwordHash, password)) && user) return user;
  await gateway.throttle.take('loginAddress', address);
  if (user) await recordFailure(gateway, ip, user._id, 'auth.login', 'INVALID_CREDENTIALS');
  throw new AppError('INVALID_CREDENTIALS');
}

export function accountRefusal(user: UserDoc): ErrorCode | null {
  if (user.status === 'pending') return 'ACCOUNT_PENDING';
  if (user.status === 'rejected') return 'ACCOUNT_REJECTED';
  return user.active ? null : 'ACCOUNT_INACTIVE';
}

export const recordFailure = (
  gateway: Gateway,
  ip: string,
  user: ObjectId,
  type: 'auth.login' | 'auth.confirm',
  reason: string,
) => gateway.events.record({ ip }, { type, table: 'users', actor: user, record: user, status: 'failed', reason });

type Confirm = typeof authCalls.confirm;

/** Checks the code of the second step; a patient's first mailed one also proves the address. */
export async function confirm({
  gateway,
  actor,
  body,
  verification,
  req,
  res,
}: Context<Confirm>): Promise<Answer<DataOf<Confirm>>> {
  const { userId, codeId } = verification;
  const user = await gateway.models.User.findById(userId).lean<UserDoc>();
  const { code, proof } = await checkSecondStep(gateway, actor.ip, { userId, codeId, user, body });
  if (!user || user.deletedAt || accountRefusal(user)) throw new AppError('AUTHENTICATION_FAILED');

  const reason = proof ? ('step' in proof ? 'totp' : 'recoveryCode') : '';
  return openSession(gateway, actor, { user, reason, req, res }, async ({ session }) => {
    if (!(await useCode(gateway, code._id, session))) throw new AppError('EXPIRED');
    if (proof && !(await spendProof(gateway, user._id, proof, session))) throw new AppError('WRONG_CODE');
    if (user.status === 'unverified') {
      await gateway.models.User.updateOne({ _id: user._id }, { $set: { status: 'active' } }, { session });
    }
  });
}

interface SignIn {
  user: UserDoc;
  /** By what, for the log. */
  reason: string;
  req: Request;
  res: Response;
}

/** The session of a sign-in, in one transaction with what spends its proof; and its cookies. */
export async function openSession(
  gateway: Gateway,
  actor: Actor,
  { user, reason, req, res }: SignIn,
  spend: (tx: Transaction) => Promise<void>,
): Promise<Answer<DataOf<Confirm>>> {
  const sessionId = await gateway.events.change(actor, async (tx) => {
    await spend(tx);
    const session = await startSession(gateway, user._id, actor.ip, tx.session, req.get('user-agent'));
    tx.record({ type: 'auth.confirm', table: 'sessions', actor: user._id, record: session._id, reason });
    return session._id;
  });
  setSessionCookies(gateway, res, String(sessionId), 0);
  const setUpTotp = !hasSecondFactor(user) && (await needsSecondFactor(gateway, user.role));
  return {
    data: {
      token: gateway.tokens.access(String(user._id), String(sessionId)),
      user: sessionUserOf(presentUnconfirmed(user)),
      ...(setUpTotp ? { setUpTotp } : {}),
    },
  };
}

interface SecondStep {
  userId: ObjectId;
  codeId: ObjectId;
  user: UserDoc | null;
  body: BodyOf<Confirm>;
}

/** The record that counts this sign-in's tries, and what the authenticator app proved, if it was asked. */
async function checkSecondStep(
  gateway: Gateway,
  ip: string,
  { userId, codeId, user, body }: SecondStep,
): Promise<{ code: CodeDoc; proof: Proof | null }> {
  try {
    const code = await takeTry(gateway, codeId);
    const refuse = () => wrongCode(limits.codeTries - code.tries);
    if (!code.user.equals(userId) || !user) throw refuse();
    if (code.purpose === 'totp') return { code, proof: await proveApp(gateway, user, body, refuse) };
    const right = isCode(gateway.keys.codes, String(code._id), code, body.code ?? '');
    if (code.purpose !== 'signIn' || !right) throw refuse();
    return { code, proof: null };
  } catch (error) {
    if (user && error instanceof AppError) await recordFailure(gateway, ip, userId, 'auth.confirm', error.code);
    throw error;
  }
}

/** Failures are counted across sign-ins too: whoever has the password could begin as many as they like. */
async function proveApp(
  gateway: Gateway,
  user: UserDoc,
  given: BodyOf<Confirm>,
  refuse: () => AppError,
): Promise<Proof> {
  await gateway.throttle.take('secondFactor', String(user._id));
  const totp = await gateway.models.Totp.findById(user._id).lean<TotpDoc>();
  const proof = totp && proofOf(gateway, totp, given);
  if (!proof) throw refuse();
  await gateway.throttle.reset('secondFactor', String(user._id));
  return proof;
}

export async function resendCode({
  gateway,
  actor,
  verification,
}: Context<typeof authCalls.resendCode>): Promise<Answer<unknown>> {
  const { userId, codeId } = verification;
  if (await gateway.models.Code.exists({ _id: codeId, purpose: 'totp' })) {
    throw new AppError('CONFLICT', {
      message: 'Use your authenticator app, your passkey or a recovery code. No code is mailed.',
    });
  }
  await gateway.throttle.take('verificationMail', String(userId));
  await gateway.events.change(actor, async (tx) => {
    const code = await renewCode(gateway, codeId, tx.session);
    const user = await gateway.models.User.exists({ _id: userId }).session(tx.session);
    if (code && user) {
      tx.record({ type: 'auth.resendCode', table: 'users', actor: userId, record: userId, refs: { code: codeId } });
    }
    return oid(String(codeId));
  });
  return { data: null, message: texts.codeSent };
}

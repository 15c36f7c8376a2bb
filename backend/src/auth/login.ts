import type { authCalls, SignInMethod } from '@lightbox/contract/auth/calls.js';
import type { PasskeyAnswer } from '@lightbox/contract/auth/passkeys.js';
import { sessionUserOf } from '@lightbox/contract/auth/session.js';
import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { texts } from '@lightbox/contract/texts.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { accountMoves } from '@lightbox/contract/users/states.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor, Transaction } from '@lightbox/core/events/events.js';
import { isCode } from '@lightbox/core/keys/codes.js';
import { isPassword } from '@lightbox/core/keys/password.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { SignOn } from '@lightbox/core/models/signOn.js';
import type { TotpDoc } from '@lightbox/core/models/totp.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Request, Response } from 'express';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway } from '../context.js';
import { acceptInvites, acceptRest } from '../sharing/acceptInvites.js';
import { noteSignOn } from '../signOn/identities.js';
import { isBreakGlass, maySignInHere } from '../signOn/local.js';
import { activeAdmins } from '../users/admins.js';
import { presentUnconfirmed } from '../users/present.js';
import { accountRefusal } from './accountRefusal.js';
import { proofOf, spendProof } from './authenticator.js';
import { hasSecondFactor, needsSecondFactor } from './authorize.js';
import { newCode, renewCode, takeCodeTry, useCode } from './codes.js';
import { constantTime } from './constantTime.js';
import { setSessionCookies } from './cookies.js';
import { asUser, decoyIds, findDecoy } from './decoys.js';
import { beginAccess } from './endAccess.js';
import { spendAssertion } from './passkeyAssertion.js';
import {
  countRight,
  countUnchecked,
  isKnownPlace,
  type PasswordTry,
  takeAlarm,
  takePasswordTry,
} from './passwordTries.js';
import { startSession } from './sessions.js';
import { wrongCode } from './tries.js';

/** Slightly more than two password checks and the record of the result take. */
const LOGIN_MS = 150;
/** Slightly more than the record of a wrong code takes. */
const CODE_MS = 40;
/** Slightly more than it takes to renew a code and to hand over its mail. */
const RESEND_MS = 100;

type Login = typeof authCalls.login;

/**
 * Checks the password and mails a code, unless the account has an app or a passkey. The reason why an account may not
 * sign in is only given after the right password.
 */
export async function login({ gateway, actor, body, req }: Context<Login>): Promise<Answer<DataOf<Login>>> {
  const tried = await takePasswordTry(gateway, { email: body.email, address: req.ip ?? '' });
  return constantTime(LOGIN_MS, () => begin(gateway, actor, tried, body.password));
}

async function begin(
  gateway: Gateway,
  actor: Actor,
  tried: PasswordTry,
  password: string,
): Promise<Answer<DataOf<Login>>> {
  const { user, owner } = await checkPassword(gateway, actor.ip, tried, password);
  const refused = accountRefusal(user) ?? ((await maySignInHere(gateway, user)) ? null : 'LOCAL_SIGN_IN_OFF');
  if (refused) {
    if (owner) await recordFailure(gateway, actor.ip, owner, 'auth.login', refused);
    throw new AppError(refused);
  }
  const method = secondStepOf(user);
  if (method === 'mail') await gateway.throttle.take('verificationMail', { caller: String(user._id) });

  const codeId = await gateway.events.changeTogether(actor, async (tx) => {
    const real = owner?.equals(user._id);
    if (real && !(await beginAccess(gateway, user, tx.session))) throw new AppError('INVALID_CREDENTIALS');
    const record = newCode(gateway, user._id, method === 'mail' ? 'signIn' : 'totp');
    tx.inserts.add(gateway.models.Code, record);
    const { _id: code } = record;
    const event = { type: 'auth.login', ...(owner ? { actor: owner, record: owner } : {}) } as const;
    if (!real) tx.record({ ...event, status: 'failed', reason: 'INVALID_CREDENTIALS' });
    else tx.record({ ...event, refs: method === 'mail' ? { code } : {} });
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

/** Returns the second step of a sign-in: the app, a passkey, or else a mailed code. */
export const secondStepOf = (user: Pick<UserDoc, 'totpAt' | 'passkeyAt'>): SignInMethod =>
  user.totpAt ? 'totp' : user.passkeyAt ? 'passkey' : 'mail';

interface Checked {
  user: UserDoc;
  /** The account of the address. Differs from `user` when that is a decoy; absent when the account was closed. */
  owner: ObjectId | undefined;
}

/**
 * Returns the account with this password, or the one that a decoy pretends to be. An address without an account takes
 * as long to refuse as a wrong password.
 */
async function checkPassword(gateway: Gateway, ip: string, tried: PasswordTry, password: string): Promise<Checked> {
  const { email, address, refusal } = tried;
  const user = await gateway.models.User.findOne({ email, deletedAt: { $exists: false } }).lean<UserDoc>();
  if (refusal && !(user && (await isKnownPlace(gateway, user._id, address)))) {
    await countUnchecked(gateway, tried);
    throw refusal;
  }
  if ((await isPassword(user?.passwordHash, password)) && user) {
    await countRight(gateway, tried, user.status === 'active');
    return { user, owner: user._id };
  }
  const decoy = refusal ? null : await findDecoy(gateway, await decoyIds(gateway, email, password));
  if (decoy) {
    await countRight(gateway, tried, false);
    return { user: asUser(decoy, email), owner: user?._id };
  }
  const alarming = await takeAlarm(gateway, tried);
  if (user) {
    await recordFailure(gateway, ip, user._id, 'auth.login', 'INVALID_CREDENTIALS');
    if (alarming) await gateway.events.record({ ip }, { type: 'auth.guesses', record: user._id });
  }
  throw refusal ?? new AppError('INVALID_CREDENTIALS');
}

export const recordFailure = (
  gateway: Gateway,
  ip: string,
  user: ObjectId,
  type: 'auth.login' | 'auth.confirm',
  reason: string,
) => {
  // The record of the second step is the session, and a failure opens none.
  const record = type === 'auth.login' ? { record: user } : {};
  return gateway.events.record({ ip }, { type, actor: user, ...record, status: 'failed', reason });
};

type Confirm = typeof authCalls.confirm;

/** Checks the code of the second step. The first mailed code of a patient also proves the address. */
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
  const { code, proof } = await constantTime(CODE_MS, () =>
    checkSecondStep(gateway, actor.ip, { userId, codeId, user, body }),
  );
  if (!user || user.deletedAt || accountRefusal(user)) throw new AppError('AUTHENTICATION_FAILED');

  const { signOn } = code;
  return openSession(gateway, actor, { user, reason: reasonOf(proof, signOn), req, res, signOn }, async (tx) => {
    const { session } = tx;
    if (!(await useCode(gateway, code._id, session))) throw new AppError('EXPIRED');
    if (proof && !(await proof.spend(session))) throw new AppError('WRONG_CODE');
    if (signOn) await noteSignOn(gateway, signOn, session);
    if (user.status === 'unverified') {
      const { to } = accountMoves.confirm;
      await gateway.models.User.updateOne({ _id: user._id }, { $set: { status: to } }, { session });
      await acceptInvites(gateway, tx, user);
    }
  });
}

const reasonOf = (proof: SecondProof | null, signOn: SignOn | undefined): string =>
  [...(signOn ? [`signOn:${signOn.provider}`] : []), ...(proof ? [proof.by] : [])].join(' ');

interface SignIn {
  user: UserDoc;
  /** The means of the sign-in, for the audit log. */
  reason: string;
  req: Request;
  res: Response;
  /** The sign-in at a provider of single sign-on. */
  signOn?: SignOn | undefined;
}

/** Opens the session of a sign-in, in one transaction with `spend`, which spends the proof. Sets the cookies. */
export async function openSession(
  gateway: Gateway,
  actor: Actor,
  { user, reason, req, res, signOn }: SignIn,
  spend: (tx: Transaction) => Promise<void>,
): Promise<Answer<DataOf<Confirm>>> {
  if (!signOn && !(await maySignInHere(gateway, user))) {
    await recordFailure(gateway, actor.ip, user._id, 'auth.login', 'LOCAL_SIGN_IN_OFF');
    throw new AppError('LOCAL_SIGN_IN_OFF');
  }
  const breakGlass = !signOn && (await isBreakGlass(gateway, user));
  const sessionId = await gateway.events.change(actor, async (tx) => {
    await spend(tx);
    const session = await startSession(gateway, user._id, actor.ip, tx.session, req.get('user-agent'), signOn);
    tx.record({ type: 'auth.confirm', actor: user._id, record: session._id, reason });
    if (breakGlass) {
      const recipients = await activeAdmins(gateway);
      tx.record({ type: 'auth.breakGlassUsed', actor: user._id, record: user._id, recipients });
    }
    return session._id;
  });
  // `user` was read before: a first code may have left invitations just now.
  if (user.invitesAfter || user.status === 'unverified') await acceptRest(gateway, user._id, actor.ip);
  setSessionCookies(gateway, res, String(sessionId), 0);
  const setUpTotp = !hasSecondFactor(user) && !signOn?.strong && (await needsSecondFactor(gateway, user.role));
  return {
    data: {
      token: gateway.tokens.access(String(user._id), String(sessionId)),
      user: sessionUserOf(presentUnconfirmed(user)),
      ...(setUpTotp ? { setUpTotp } : {}),
    },
  };
}

/** A right second step, and the function that spends it in the transaction of the sign-in. */
interface SecondProof {
  by: 'totp' | 'recoveryCode' | 'passkey';
  spend: (tx: ClientSession) => Promise<boolean>;
}

interface SecondStep {
  userId: ObjectId;
  codeId: ObjectId;
  user: UserDoc | null;
  body: BodyOf<Confirm>;
}

/**
 * Checks the second step. Returns the record that counts the tries of this sign-in, and the proof of the authenticator
 * app for an account that has one.
 */
async function checkSecondStep(
  gateway: Gateway,
  ip: string,
  { userId, codeId, user, body }: SecondStep,
): Promise<{ code: CodeDoc; proof: SecondProof | null }> {
  try {
    const code = await takeCodeTry(gateway, codeId);
    const refuse = () => wrongCode(code.tries);
    if (!code.user.equals(userId) || !user) throw refuse();
    if (code.purpose === 'totp') {
      const proof = body.passkey && code.signOn ? provePasskey(gateway, user, body.passkey) : null;
      return { code, proof: await (proof ?? proveApp(gateway, ip, user, body, refuse)) };
    }
    const right = isCode(gateway.keys.codes, String(code._id), code, body.code ?? '');
    if (code.purpose !== 'signIn' || !right) {
      await countWrongCode(gateway, ip, userId);
      throw refuse();
    }
    await gateway.throttle.reset('wrongCodes', { caller: String(userId) });
    return { code, proof: null };
  } catch (error) {
    if (user && error instanceof AppError) await recordFailure(gateway, ip, userId, 'auth.confirm', error.code);
    throw error;
  }
}

/**
 * Counts a wrong code across sign-ins: an attacker with the password could begin any number of them. The owner is told of
 * many in a row.
 */
async function countWrongCode(gateway: Gateway, ip: string, user: ObjectId): Promise<void> {
  const inRow = await gateway.throttle.count('wrongCodes', { caller: String(user) });
  if (inRow === throttles.wrongCodes.points) {
    await gateway.events.record({ ip }, { type: 'auth.codesGuessed', record: user });
  }
}

/** Checks a code of the app or a recovery code. Beyond many wrong ones an hour, across sign-ins, it is not checked. */
async function proveApp(
  gateway: Gateway,
  ip: string,
  user: UserDoc,
  given: BodyOf<Confirm>,
  refuse: () => AppError,
): Promise<SecondProof> {
  const by = { caller: String(user._id) };
  await gateway.throttle.take('secondFactor', by);
  const totp = await gateway.models.Totp.findById(user._id).lean<TotpDoc>();
  const proof = totp && proofOf(gateway, totp, given);
  if (!proof) {
    await countWrongCode(gateway, ip, user._id);
    throw refuse();
  }
  for (const name of ['secondFactor', 'wrongCodes'] as const) await gateway.throttle.reset(name, by);
  return {
    by: 'step' in proof ? 'totp' : 'recoveryCode',
    spend: (tx) => spendProof(gateway, user._id, proof, tx),
  };
}

/** Checks a passkey that completes a sign-in at a provider. */
async function provePasskey(gateway: Gateway, user: UserDoc, answer: PasskeyAnswer): Promise<SecondProof> {
  return { by: 'passkey', spend: await spendAssertion(gateway, { purpose: 'signIn' }, answer, user._id) };
}

export async function resendCode({
  gateway,
  actor,
  verification,
}: Context<typeof authCalls.resendCode>): Promise<Answer<unknown>> {
  const { userId, codeId } = verification;
  if (await gateway.models.Code.exists({ _id: codeId, purpose: 'totp' })) {
    throw new AppError('CONFLICT', {
      message: 'Use your authenticator app, your passkey or a recovery code. We do not email a code.',
    });
  }
  await gateway.throttle.take('verificationMail', { caller: String(userId) });
  await constantTime(RESEND_MS, () => renew(gateway, actor, userId, codeId));
  return { data: null, message: texts.codeSent };
}

const renew = (gateway: Gateway, actor: Actor, userId: ObjectId, codeId: ObjectId): Promise<ObjectId> =>
  gateway.events.change(actor, async (tx) => {
    const code = await renewCode(gateway, codeId, tx.session);
    if (!code) throw new AppError('EXPIRED');
    const user = await gateway.models.User.exists({ _id: userId }).session(tx.session);
    if (user) {
      tx.record({ type: 'auth.resendCode', actor: userId, record: userId, refs: { code: codeId } });
    }
    return codeId;
  });

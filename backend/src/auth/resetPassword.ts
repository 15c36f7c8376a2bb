import type { authCalls } from '@lightbox/contract/auth/calls.js';
import { texts } from '@lightbox/contract/texts.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { isLinkToken } from '@lightbox/core/keys/codes.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import type { CodeDoc, UserDoc } from '@lightbox/core/models/types.js';
import type { Answer, Context, Gateway } from '../context.js';
import { checkCode, issueCode, useCode } from './codes.js';
import { refuseCommon } from './commonPasswords.js';
import { endAccess } from './endAccess.js';
import { evenly } from './evenTime.js';
import { issueNotMe } from './notMe.js';
import { cutSockets } from './sessions.js';

/** A little more than issuing a code and handing its mail over takes. */
const FORGOT_MS = 100;

/** Mails a reset code and link. The answer is the same, and comes as fast, whether or not the account exists. */
export async function forgotPassword({
  gateway,
  actor,
  body,
}: Context<typeof authCalls.forgotPassword>): Promise<Answer<unknown>> {
  await gateway.throttle.take('resetMail', body.email);
  await evenly(FORGOT_MS, () => issueReset(gateway, actor, body.email));
  return { data: null, message: texts.resetCodeSent };
}

async function issueReset(gateway: Gateway, actor: Actor, email: string): Promise<void> {
  const user = await gateway.models.User.findOne({ email, deletedAt: { $exists: false } }, { _id: 1 }).lean();
  const account = user?._id ?? gateway.nobody(email);
  await gateway.events.change(actor, async (tx) => {
    // Only the last code that was asked for is worth anything.
    await gateway.models.Code.updateMany(
      { user: account, purpose: 'reset', usedAt: { $exists: false } },
      { $set: { usedAt: gateway.clock.now() } },
      { session: tx.session },
    );
    const code = await issueCode(gateway, account, 'reset', tx.session);
    if (user) {
      tx.record({ type: 'auth.forgotPassword', table: 'users', actor: account, record: account, refs: { code } });
    }
    return code;
  });
}

export async function resetPassword(context: Context<typeof authCalls.resetPassword>): Promise<Answer<unknown>> {
  const { gateway, body, req } = context;
  const byCode = 'otp' in body;
  const password = byCode ? body.newPassword : body.password;
  // Before the code is looked at: a password that is refused must not cost a try.
  refuseCommon(byCode ? 'newPassword' : 'password', password);
  const code = byCode
    ? await codeByOtp(gateway, body.email, body.otp)
    : await codeByLink(gateway, body.token ?? bearerOf(req.headers.authorization));
  const sessions = await setPassword(context, code, await hashPassword(password));
  cutSockets(gateway, sessions, 'passwordReset');
  return { data: null, message: texts.passwordReset };
}

const bearerOf = (header: string | undefined): string => /^Bearer (\S+)$/i.exec(header ?? '')?.[1] ?? '';

/** Accounts that are not there, or asked for no code, are answered as if a guess had been wrong, and lock in the same way. */
async function codeByOtp(gateway: Gateway, email: string, otp: string): Promise<CodeDoc> {
  const user = await gateway.models.User.findOne({ email, deletedAt: { $exists: false } }, { _id: 1 }).lean();
  const code = user && (await latestReset(gateway, user._id));
  if (code) return checkCode(gateway, code._id, otp);
  const nobody = gateway.nobody(email);
  const decoy = await latestReset(gateway, nobody);
  await checkCode(gateway, decoy?._id ?? (await issueCode(gateway, nobody, 'reset', null)), otp);
  throw new AppError('WRONG_CODE');
}

const latestReset = (gateway: Gateway, user: ObjectId) =>
  gateway.models.Code.findOne({ user, purpose: 'reset' }).sort({ createAt: -1 }).lean<CodeDoc>();

async function codeByLink(gateway: Gateway, token: string): Promise<CodeDoc> {
  const id = token.split('.')[0] ?? '';
  const code = /^[0-9a-f]{24}$/.test(id) ? await gateway.models.Code.findById(oid(id)).lean<CodeDoc>() : null;
  if (code?.purpose !== 'reset' || !isLinkToken(gateway.keys.codes, id, code, token)) {
    throw fieldError('token', 'This link is not valid.');
  }
  if (code.usedAt || code.expiresAt <= gateway.clock.now()) throw new AppError('EXPIRED');
  return code;
}

async function setPassword(
  { gateway, actor }: Context<typeof authCalls.resetPassword>,
  code: CodeDoc,
  passwordHash: string,
): Promise<ObjectId[]> {
  let sessions: ObjectId[] = [];
  const passwordAt = gateway.clock.now();
  await gateway.events.change(actor, async (tx) => {
    if (!(await useCode(gateway, code._id, tx.session))) throw new AppError('EXPIRED');
    await gateway.models.User.updateOne(
      { _id: code.user },
      { $set: { passwordHash, passwordAt } },
      { session: tx.session },
    );
    // The mail proved the address as well as a first sign-in code does.
    await gateway.models.User.updateOne(
      { _id: code.user, status: 'unverified' } satisfies Partial<UserDoc>,
      { $set: { status: 'active' } },
      { session: tx.session },
    );
    sessions = await endAccess(gateway, code.user, 'passwordReset', tx.session);
    const notMe = await issueNotMe(gateway, code.user, tx.session, { password: passwordAt });
    tx.record({ type: 'auth.resetPassword', table: 'users', actor: code.user, record: code.user, refs: { notMe } });
    return code.user;
  });
  return sessions;
}

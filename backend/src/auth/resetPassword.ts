import type { authCalls } from '@lightbox/contract/auth/calls.js';
import { texts } from '@lightbox/contract/texts.js';
import { accountMoves } from '@lightbox/contract/users/states.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway } from '../context.js';
import { acceptInvites } from '../sharing/acceptInvites.js';
import { codeByLink, issueCode, useCode } from './codes.js';
import { refuseWeak } from './commonPasswords.js';
import { constantTime } from './constantTime.js';
import { endAccess } from './endAccess.js';
import { issueNotMe } from './notMe.js';
import { placeOf } from './passwordTries.js';
import { isRightReset, latestReset, noteAsker, refuseReset } from './resetCodes.js';
import { cutSockets } from './sessions.js';

/** Slightly more than it takes to issue a code and to hand over its mail. */
const FORGOT_MS = 100;

/** Slightly more than it takes to look up and count a wrong code. */
const RESET_MS = 60;

/**
 * Mails a reset code and link. The answer is the same, and takes the same time, with and without an account. After too
 * many requests no mail is sent, and the newest one stays valid until the next may go out.
 */
export async function forgotPassword({
  gateway,
  actor,
  body,
}: Context<typeof authCalls.forgotPassword>): Promise<Answer<unknown>> {
  await constantTime(FORGOT_MS, async () => {
    if (await gateway.throttle.tryTake('resetMail', body)) await issueReset(gateway, actor, body.email);
    await noteAsker(gateway, body.email, placeOf(gateway, actor.ip));
  });
  return { data: null, message: texts.resetCodeSent };
}

async function issueReset(gateway: Gateway, actor: Actor, email: string): Promise<void> {
  const user = await accountOf(gateway, email);
  if (!user) return;
  const { _id } = user;
  await gateway.events.change(actor, async (tx) => {
    // Only the newest code is valid.
    await gateway.models.Code.updateMany(
      { user: _id, purpose: 'reset', usedAt: { $exists: false } },
      { $set: { usedAt: gateway.clock.now() } },
      { session: tx.session },
    );
    const askedFrom = placeOf(gateway, actor.ip);
    const code = await issueCode(gateway, _id, 'reset', tx.session, { askedFrom });
    tx.record({ type: 'auth.forgotPassword', actor: _id, record: _id, refs: { code } });
    return code;
  });
}

const accountOf = ({ models }: Gateway, email: string) =>
  models.User.findOne({ email, deletedAt: { $exists: false } }, { _id: 1 }).lean<Pick<UserDoc, '_id'>>();

export async function resetPassword(context: Context<typeof authCalls.resetPassword>): Promise<Answer<unknown>> {
  const { gateway, actor, body, req } = context;
  const byCode = 'otp' in body;
  const password = byCode ? body.newPassword : body.password;
  // Check the password before the code: a refused password must not cost a try.
  const field = byCode ? 'newPassword' : 'password';
  refuseWeak(field, password, byCode ? body : {});
  const code = byCode
    ? await constantTime(RESET_MS, () => codeByOtp(gateway, actor.ip, body))
    : await codeByLink(gateway, 'reset', body.token ?? bearerOf(req.headers.authorization));
  // Only after the code, because this check reveals facts about the account.
  const user = await gateway.models.User.findById(code.user).lean<UserDoc>();
  refuseWeak(field, password, user ?? {});
  const sessions = await setPassword(context, code, await hashPassword(password));
  cutSockets(gateway, sessions, 'passwordReset');
  return { data: null, message: texts.passwordReset };
}

const bearerOf = (header: string | undefined): string => /^Bearer (\S+)$/i.exec(header ?? '')?.[1] ?? '';

/**
 * Checks the mailed code. An address without an account, or without a usable code, is answered like a wrong guess and
 * locks in the same way. Only the right code is told that it is used or expired.
 */
async function codeByOtp(
  gateway: Gateway,
  ip: string,
  { email, otp }: { email: string; otp: string },
): Promise<CodeDoc> {
  await gateway.throttle.take('resetCode', { email });
  const from = placeOf(gateway, ip);
  const user = await accountOf(gateway, email);
  const code = user && (await latestReset(gateway, { user: user._id }));
  if (!code || !(await isRightReset(gateway, code, otp, from))) throw await refuseReset(gateway, email, from);
  // Given back and not reset: how many guesses are left must not tell that the owner came in.
  await gateway.throttle.giveBack('resetCode', { email });
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
    const usedFrom = placeOf(gateway, actor.ip);
    await gateway.models.Code.updateOne({ _id: code._id }, { $set: { usedFrom } }, { session: tx.session });
    await gateway.models.User.updateOne(
      { _id: code.user },
      { $set: { passwordHash, passwordAt } },
      { session: tx.session },
    );
    // The mail proves the address, as a first sign-in code does.
    const confirmed = await gateway.models.User.findOneAndUpdate(
      { _id: code.user, status: { $in: accountMoves.confirm.from } },
      { $set: { status: accountMoves.confirm.to } },
      { session: tx.session },
    ).lean<UserDoc>();
    if (confirmed) await acceptInvites(gateway, tx, confirmed);
    sessions = await endAccess(gateway, code.user, 'passwordReset', tx.session);
    const notMe = await issueNotMe(gateway, code.user, tx.session, { password: passwordAt });
    tx.record({ type: 'auth.resetPassword', actor: code.user, record: code.user, refs: { notMe } });
    return code.user;
  });
  return sessions;
}

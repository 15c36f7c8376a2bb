import type { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import { texts } from '@lightbox/contract/texts.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import { hashPassword, isPassword } from '@lightbox/core/keys/password.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway } from '../context.js';
import { refuseWeak } from './commonPasswords.js';
import { endAccess } from './endAccess.js';
import { issueNotMe } from './notMe.js';
import { cutSockets } from './sessions.js';

const notRight = (field: string) => fieldError(field, texts.passwordNotRight);

/**
 * Returns the account if the password is right; throws an error of `field` otherwise. Guesses are counted as at a
 * sign-in, so that a session that was left open is no way to guess the password.
 */
export async function requireOwnPassword(
  gateway: Gateway,
  id: ObjectId,
  field: string,
  password: string,
): Promise<UserDoc> {
  await gateway.throttle.take('ownPassword', { caller: String(id) });
  const user = await gateway.models.User.findById(id).lean<UserDoc>();
  if (!user) throw new AppError('NOT_FOUND');
  if (!(await isPassword(user.passwordHash, password))) throw notRight(field);
  await gateway.throttle.reset('ownPassword', { caller: String(id) });
  return user;
}

/** Changes the password. The session of the call continues; all other access to the account ends. */
export async function changePassword({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof securityCalls.changePassword>): Promise<Answer<unknown>> {
  const event = { type: 'auth.changePassword', record: viewer._id } as const;
  const passwordAt = gateway.clock.now();
  refuseWeak('newPassword', body.newPassword, {});
  const user = await requireOwnPassword(gateway, viewer._id, 'currentPassword', body.currentPassword).catch(
    async (error) => {
      const reason = error instanceof AppError && error.code === 'VALIDATION_FAILED' ? 'INVALID_CREDENTIALS' : '';
      if (reason) await gateway.events.record(actor, { ...event, status: 'failed', reason });
      throw error;
    },
  );
  refuseWeak('newPassword', body.newPassword, user);
  const passwordHash = await hashPassword(body.newPassword);
  let ended: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    const { session } = tx;
    const changed = await gateway.models.User.updateOne(
      { _id: user._id, passwordHash: user.passwordHash },
      { $set: { passwordHash, passwordAt } },
      { session },
    );
    // Another device has changed the password since: the one given here is not current any more.
    if (changed.modifiedCount !== 1) throw notRight('currentPassword');
    ended = await endAccess(gateway, user._id, 'passwordReset', session, { except: viewer.sessionId });
    const notMe = await issueNotMe(gateway, user._id, session, { password: passwordAt });
    tx.record({ ...event, refs: { notMe } });
    return user._id;
  });
  cutSockets(gateway, ended, 'passwordReset');
  return { data: null, message: texts.passwordChanged };
}

import type { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import { texts } from '@lightbox/contract/texts.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import { hashPassword, isPassword } from '@lightbox/core/keys/password.js';
import type { UserDoc } from '@lightbox/core/models/types.js';
import type { Answer, Context, Gateway } from '../context.js';
import { refuseWeak } from './commonPasswords.js';
import { cutSockets, endSessions } from './sessions.js';

const notRight = (field: string) => fieldError(field, texts.passwordNotRight);

/**
 * The account, for its password as the field says it: what a session alone does not prove. Guesses are counted as those
 * at a sign-in are, so that a session that was left open is no way to the password.
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

/** The session that asks goes on; all others, and codes that were asked for before, are worth nothing from now on. */
export async function changePassword({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof securityCalls.changePassword>): Promise<Answer<unknown>> {
  const event = { type: 'auth.changePassword', table: 'users', record: viewer._id } as const;
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
      { $set: { passwordHash } },
      { session },
    );
    // Changed from another device since: this one's password is the current one no more.
    if (changed.modifiedCount !== 1) throw notRight('currentPassword');
    await gateway.models.Code.updateMany(
      { user: user._id, usedAt: { $exists: false } },
      { $set: { usedAt: gateway.clock.now() } },
      { session },
    );
    const others = { user: user._id, _id: { $ne: viewer.sessionId } };
    ended = await endSessions(gateway, others, 'passwordReset', session);
    tx.record(event);
    return user._id;
  });
  cutSockets(gateway, ended, 'passwordReset');
  return { data: null, message: texts.passwordChanged };
}

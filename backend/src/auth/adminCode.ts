import { isUsable } from '@lightbox/contract/users/states.js';
import type { Core } from '@lightbox/core/core.js';
import { system } from '@lightbox/core/events/events.js';
import { codeOf, newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { UserDoc } from '@lightbox/core/models/user.js';

/**
 * Returns a sign-in code for an administrator who gets no mail, or who has lost the authenticator app. The password is
 * still needed: the code belongs to a sign-in that is waiting for one. A person who can run this has the keys and the
 * database anyway; the audit log records the use.
 */
export async function adminCode(core: Core, email: string): Promise<{ code: string | null; text: string }> {
  const { models, clock } = core;
  const user = await models.User.findOne({ email: email.trim().toLowerCase(), role: 'admin' }).lean<UserDoc>();
  if (!isUsable(user))
    return { code: null, text: 'No active administrator has this email address. Give one: --email <address>' };
  const now = clock.now();
  const waiting = await models.Code.findOne({
    user: user._id,
    purpose: { $in: ['signIn', 'totp'] },
    usedAt: { $exists: false },
    expiresAt: { $gt: now },
  })
    .sort({ createAt: -1, _id: -1 })
    .lean<CodeDoc>();
  if (!waiting) {
    return {
      code: null,
      text: 'Nobody is waiting for a code. Enter email and password at /login, then run this again.',
    };
  }
  const seed = newCodeSeed(core.keys.codes);
  await core.events.change(system, async (tx) => {
    // A new code, so that a mailed one does not work any more. A sign-in that waits for the app takes this code too.
    await models.Code.updateOne(
      { _id: waiting._id },
      { $set: { ...seed, purpose: 'signIn', tries: 0 } },
      { session: tx.session },
    );
    tx.record({ type: 'auth.adminCode', record: user._id });
    return user._id;
  });
  const code = codeOf(core.keys.codes, String(waiting._id), seed);
  const minutes = Math.max(1, Math.floor((waiting.expiresAt.getTime() - now.getTime()) / 60_000));
  return {
    code,
    text: `Code: ${code}\nIt works for this login only, for ${minutes} more min.`,
  };
}

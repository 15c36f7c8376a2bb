import type { Core } from '@lightbox/core/core.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { finishClosing } from '@lightbox/core/users/closing.js';

const BATCH = 50;
/** For the call that closed the account, which does it by itself while it can. */
const GRACE_MS = 10_000;
/** A turn, after which the claim of this task is renewed. */
const TURN_MS = 400;

/** Finishes closing accounts whose call was cut short, or had more to do than it waits for. True: there is more to do. */
export async function finishClosings(core: Core): Promise<boolean> {
  const now = core.clock.now().getTime();
  const left = await core.models.User.find({ 'closing.at': { $lt: new Date(now - GRACE_MS) } }, { closing: 1 })
    .sort({ 'closing.at': 1 })
    .limit(BATCH)
    .lean<UserDoc[]>();
  const until = new Date(now + TURN_MS);
  for (const { _id, closing } of left) {
    if (!closing) continue;
    const actor = { id: closing.by, ip: '' };
    const done = await finishClosing(core, actor, _id, until).catch((error) => {
      // One account that cannot be finished, now or ever, keeps no other one waiting.
      core.warn(error, 'closing an account could not be finished; trying again');
      return true;
    });
    if (!done) return true;
  }
  return false;
}

import type { Core } from '@lightbox/core/core.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { finishClosing } from '@lightbox/core/users/closing.js';
import { eachApart } from './eachApart.js';

const BATCH = 50;
/** Time for the call that closed the account, which normally finishes the work itself. */
const GRACE_MS = 10_000;
/** The length of one turn. After it the claim of this task is renewed. */
const TURN_MS = 400;

/** Finishes closing accounts whose call was interrupted or had too much to do. Returns true when more is left. */
export async function finishClosings(core: Core): Promise<boolean> {
  const now = core.clock.now().getTime();
  const left = await core.models.User.find({ 'closing.at': { $lt: new Date(now - GRACE_MS) } }, { closing: 1 })
    .sort({ 'closing.at': 1 })
    .limit(BATCH)
    .lean<UserDoc[]>();
  const until = new Date(now + TURN_MS);
  let isMore = false;
  await eachApart(core, 'closing of User', left, async ({ _id, closing }) => {
    if (closing && !(await finishClosing(core, { id: closing.by, ip: '' }, _id, until))) isMore = true;
  });
  return isMore;
}

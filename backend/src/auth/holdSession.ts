import { isUsable } from '@lightbox/contract/users/states.js';
import { touch } from '@lightbox/core/access/hold.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Hold } from '@lightbox/core/events/events.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';
import type { Gateway, Viewer } from '../context.js';
import { isAlive } from './sessions.js';

/** The right of a signed-in person to act: session and account must be valid at the commit. An upload may take minutes. */
export const holdSession = (gateway: Gateway, viewer: Viewer): Hold => ({
  get of() {
    return String(viewer.sessionId);
  },
  check: (tx) => checkSession(gateway, viewer, tx),
});

/** Writes the session, and so does everything that ends one: the two transactions conflict. */
async function checkSession(gateway: Gateway, viewer: Viewer, tx: ClientSession): Promise<void> {
  const mine = { _id: viewer.sessionId, user: viewer._id };
  const session = await gateway.models.Session.findOneAndUpdate(mine, touch, { session: tx }).lean<SessionDoc>();
  const user = await gateway.models.User.findById(viewer._id, null, { session: tx }).lean<UserDoc>();
  if (!(await isAlive(gateway, session)) || !isUsable(user)) throw new AppError('AUTHENTICATION_FAILED');
}

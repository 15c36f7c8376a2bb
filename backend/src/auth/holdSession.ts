import { isUsable } from '@lightbox/contract/users/states.js';
import { touch } from '@lightbox/core/access/hold.js';
import { AppError } from '@lightbox/core/errors.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';
import type { Gateway, Viewer } from '../context.js';
import { isAlive } from './sessions.js';

/**
 * Throws unless session and account are valid at the commit of a change: a call, such as an upload, may take minutes.
 * Writes the session, and so does everything that ends one: the two transactions conflict.
 */
export async function holdSession(gateway: Gateway, viewer: Viewer, tx: ClientSession): Promise<void> {
  const mine = { _id: viewer.sessionId, user: viewer._id };
  const session = await gateway.models.Session.findOneAndUpdate(mine, touch, { session: tx }).lean<SessionDoc>();
  const user = await gateway.models.User.findById(viewer._id, null, { session: tx }).lean<UserDoc>();
  if (!(await isAlive(gateway, session)) || !isUsable(user)) throw new AppError('AUTHENTICATION_FAILED');
}

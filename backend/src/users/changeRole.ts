import type { DataOf } from '@lightbox/contract/call.js';
import { texts } from '@lightbox/contract/texts.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { requireUser } from '@lightbox/core/access/users.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { openPersonIfWhole } from '@lightbox/core/users/profile.js';
import { cutSockets } from '../auth/sessions.js';
import type { Answer, Context } from '../context.js';
import { presentUser } from './present.js';
import { setRole } from './setRole.js';

type Call = typeof userCalls.changeRole;

/**
 * Changes the role of an account, also one's own as long as another administrator is left. A provider who is pending or
 * rejected must be approved or rejected first.
 */
export async function changeRole({
  gateway,
  actor,
  viewer,
  params,
  body: { role },
}: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const user = await requireUser(gateway, viewer, params.id);
  if (user.role === role)
    return { data: presentUser(viewer, openPersonIfWhole(gateway, user)), message: texts.roleChanged };
  if (user.status === 'pending' || user.status === 'rejected') {
    throw new AppError('CONFLICT', { message: 'Approve or reject this provider first.' });
  }
  let sessions: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    sessions = await setRole(gateway, tx, user, role);
    return user._id;
  });
  cutSockets(gateway, sessions, 'roleChanged');
  return { data: presentUser(viewer, openPersonIfWhole(gateway, { ...user, role })), message: texts.roleChanged };
}

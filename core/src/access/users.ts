import { directory, type UserFacts, type UserViewer, userRules } from '@lightbox/contract/users/policy.js';
import type { QueryFilter } from 'mongoose';
import { oid } from '../db/ids.js';
import { AppError } from '../errors.js';
import type { Models } from '../models/models.js';
import type { UserDoc } from '../models/types.js';

export const userFacts = (user: UserDoc): UserFacts => ({
  id: String(user._id),
  role: user.role,
  status: user.status,
  active: user.active,
});

/** `userRules.see` as a filter, without the viewer; closed accounts are nobody's to see. */
export function visibleUsers(viewer: UserViewer): QueryFilter<UserDoc> {
  const others = { _id: { $ne: oid(viewer.id) }, deletedAt: { $exists: false } };
  if (viewer.role === 'admin') return others;
  return { ...others, role: { $in: [...directory[viewer.role]] }, status: 'active', active: true };
}

/** The account, or 404 when it is not there or not the viewer's to see. */
export async function requireUser(models: Models, viewer: UserViewer, id: string): Promise<UserDoc> {
  const user = await models.User.findById(oid(id)).lean<UserDoc>();
  if (!user || user.deletedAt || !userRules.see(viewer, userFacts(user))) throw new AppError('NOT_FOUND');
  return user;
}

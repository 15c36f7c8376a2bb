import { directory, needsTie, type UserFacts, type UserViewer, userRules } from '@lightbox/contract/users/policy.js';
import type { QueryFilter } from 'mongoose';
import type { Core } from '../core.js';
import { oid } from '../db/ids.js';
import { AppError } from '../errors.js';
import type { UserDoc } from '../models/user.js';
import { usableAccount } from './accounts.js';
import { careForEachOther } from './carers.js';
import { areTied, knownPatients } from './ties.js';

type Seen = Pick<Core, 'models' | 'settings' | 'clock'>;

export const userFacts = (user: Pick<UserDoc, '_id' | 'role' | 'status' | 'active'>): UserFacts => ({
  id: String(user._id),
  role: user.role,
  status: user.status,
  active: user.active,
});

/** `userRules.see` as a filter, without the viewer. Nobody may see closed accounts. */
export const visibleUsers = async (core: Seen, viewer: UserViewer): Promise<QueryFilter<UserDoc>> => ({
  $and: [{ deletedAt: { $exists: false } }, await visibleOpenUsers(core, viewer)],
});

/** The same for a filter that finds no closed account: no entry of an index says whether a field is absent. */
export async function visibleOpenUsers(core: Seen, viewer: UserViewer): Promise<QueryFilter<UserDoc>> {
  const others = { _id: { $ne: oid(viewer.id) } };
  if (viewer.role === 'admin') return others;
  const { status, active } = usableAccount;
  const found = { ...others, status, active };
  const roles = [...directory[viewer.role]];
  const known = await knownPatients(core, viewer);
  if (!known) return { ...found, role: { $in: roles } };
  const free = roles.filter((role) => !needsTie(viewer, { role }));
  return { $and: [found, { $or: [{ role: { $in: free } }, { role: { $in: roles }, _id: { $in: known } }] }] };
}

/** True when the viewer may know of the account: by the directory, or as one of a patient and their carer. */
export async function maySeeUser(core: Seen, viewer: UserViewer, user: UserFacts): Promise<boolean> {
  const helped = viewer.role === 'patient' && (await careForEachOther(core.models, oid(viewer.id), oid(user.id)));
  return userRules.see(viewer, user, await areTied(core, viewer, user), helped);
}

/** Returns the account; 404 when it does not exist or the viewer may not see it. */
export async function requireUser(core: Seen, viewer: UserViewer, id: string): Promise<UserDoc> {
  const user = await core.models.User.findById(oid(id)).lean<UserDoc>();
  if (!user || user.deletedAt) throw new AppError('NOT_FOUND');
  if (!(await maySeeUser(core, viewer, userFacts(user)))) throw new AppError('NOT_FOUND');
  return user;
}

import { userRules } from '@lightbox/contract/users/policy.js';
import { areTied } from '@lightbox/core/access/ties.js';
import { userFacts } from '@lightbox/core/access/users.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Gateway, Viewer } from '../context.js';

/** Returns the other person if the two may write to each other. Throws `NOT_FOUND` otherwise. */
export async function requirePartner(gateway: Gateway, viewer: Viewer, id: string): Promise<UserDoc> {
  const [self, other] = await Promise.all([gateway.readUser(viewer._id), gateway.readUser(oid(id))]);
  if (!self || !other || other.deletedAt) throw new AppError('NOT_FOUND');
  const [own, theirs] = [userFacts(self), userFacts(other)];
  if (!userRules.message(own, theirs, await areTied(gateway, own, theirs))) throw new AppError('NOT_FOUND');
  return other;
}

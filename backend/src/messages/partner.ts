import { userRules } from '@lightbox/contract/users/policy.js';
import { areTied } from '@lightbox/core/access/ties.js';
import { userFacts } from '@lightbox/core/access/users.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { KeptUser } from '../auth/recent.js';
import type { Gateway, Viewer } from '../context.js';

/** Returns the other person if the two may write to each other. Throws `NOT_FOUND` otherwise. */
export async function requirePartner(gateway: Gateway, viewer: Viewer, id: string): Promise<KeptUser> {
  const { users } = gateway.recent;
  const kept = await ifWritable(gateway, users.get(viewer.id), users.get(id));
  if (kept) return kept;
  const [self, other] = await Promise.all(
    [viewer.id, id].map((one) => users.read(one, () => gateway.readUser(oid(one)))),
  );
  const partner = await ifWritable(gateway, self, other);
  if (!partner) throw new AppError('NOT_FOUND');
  return partner;
}

/** Returns the other person if the two may write to each other. */
async function ifWritable(gateway: Gateway, self?: KeptUser | null, other?: KeptUser | null): Promise<KeptUser | null> {
  if (!self || !other || other.deletedAt) return null;
  const [own, theirs] = [userFacts(self), userFacts(other)];
  return userRules.message(own, theirs, await areTied(gateway, own, theirs)) ? other : null;
}

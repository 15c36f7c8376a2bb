import { throttles } from '@lightbox/contract/throttles.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { Gateway, Viewer } from '../context.js';
import { activeAdmins } from './admins.js';

const { points, seconds } = throttles.people;

/**
 * Counts the different people whose records a viewer reads in an hour, with an error of about 1 % (HyperLogLog).
 * Reading continues beyond the limit, with one entry in the audit log and a notice to the administrators. While Redis
 * is unreachable nothing is counted.
 */
export async function countPeopleRead(
  gateway: Gateway,
  actor: Actor,
  viewer: Viewer,
  people: ObjectId[],
): Promise<void> {
  if (!gateway.config.rateLimits || people.length === 0) return;
  const hour = Math.floor(gateway.clock.now().getTime() / (seconds * 1000));
  const opaque = (id: string) => hmac(gateway.keys.names.current.key, 'people', viewer.id, id).toString('base64url');
  const key = `lightbox:people:${opaque(String(hour))}`;
  const counted = await gateway.redis
    .multi()
    .pfcount(key)
    .pfadd(key, ...people.map((id) => opaque(String(id))))
    .expire(key, 2 * seconds)
    .pfcount(key)
    .exec()
    .catch(() => null);
  const [before = 0, after = 0] = [counted?.[0]?.[1] ?? 0, counted?.[3]?.[1] ?? 0].map(Number);
  if (before > points || after <= points) return;
  await gateway.events.record(actor, {
    type: 'user.bulkRead',
    record: viewer._id,
    recipients: await activeAdmins(gateway),
  });
}

import type { QueryFilter } from 'mongoose';
import { refreshAudience } from '../access/audience.js';
import { carersOf } from '../access/carers.js';
import { type ShareTarget, sharesOf } from '../access/shares.js';
import type { Core } from '../core.js';
import type { Transaction } from '../events/events.js';
import type { ShareDoc } from '../models/share.js';
import { aboutShare, ownerOf } from './shareTarget.js';

/**
 * Ends the live shares of an image or a study that match the filter, with one event for each. Part of the caller's
 * transaction.
 */
export async function endShares(
  core: Core,
  tx: Transaction,
  target: ShareTarget,
  filter: QueryFilter<ShareDoc>,
  type: 'share.revoke' | 'share.expire',
): Promise<void> {
  const now = core.clock.now();
  const session = tx.session;
  const wanted = { $and: [sharesOf(target), filter], live: true };
  const shares = await core.models.Share.find(wanted, null, { session }).lean<ShareDoc[]>();
  if (shares.length === 0) return;
  await core.models.Share.updateMany(
    { _id: { $in: shares.map((share) => share._id) } },
    { $set: { live: false, endedAt: now } },
    { session },
  );
  // The recipients may have opened another viewer by these shares.
  await core.models.Session.updateMany(
    { 'token.share': { $in: shares.map((share) => share._id) }, endedAt: { $exists: false } },
    { $set: { endedAt: now, endReason: 'share' } },
    { session },
  );
  await refreshAudience(core.models, target, now, session);
  const owner = await ownerOf(core.models, target, session);
  for (const share of shares) {
    tx.record({
      type,
      ...aboutShare(share),
      owners: owner ? [owner] : [],
      recipients: [share.recipient, share.sharedBy, ...(owner ? [owner] : [])],
      carers: await carersOf(core.models, [share.recipient], session),
    });
  }
}

import type { QueryFilter } from 'mongoose';
import { refreshAudience } from '../access/images.js';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Transaction } from '../events/events.js';
import type { ImageDoc } from '../models/image.js';
import type { ShareDoc } from '../models/share.js';

/** Ends an image's live shares that match the filter, with one event for each. Part of the caller's transaction. */
export async function endShares(
  core: Core,
  tx: Transaction,
  filter: QueryFilter<ShareDoc> & { image: ObjectId },
  type: 'share.revoke' | 'share.expire',
): Promise<void> {
  const now = core.clock.now();
  const session = tx.session;
  const shares = await core.models.Share.find({ ...filter, live: true }, null, { session }).lean<ShareDoc[]>();
  if (shares.length === 0) return;
  await core.models.Share.updateMany(
    { _id: { $in: shares.map((share) => share._id) } },
    { $set: { live: false, endedAt: now } },
    { session },
  );
  await refreshAudience(core.models, filter.image, now, session);
  const image = await core.models.Image.findById(filter.image, { owner: 1 }, { session }).lean<ImageDoc>();
  for (const share of shares) {
    tx.record({
      type,
      record: share.image,
      owners: image ? [image.owner] : [],
      recipients: [share.recipient, share.sharedBy, ...(image ? [image.owner] : [])],
      refs: { share: share._id },
    });
  }
}

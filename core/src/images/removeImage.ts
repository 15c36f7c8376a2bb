import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { Actor } from '../events/events.js';
import type { ImageDoc } from '../models/types.js';

/**
 * The record goes at once with everything that belongs to it. Nobody can reach the bytes any more: a worker removes them,
 * and a tombstone lists them until they are gone.
 */
export async function removeImage(core: Core, actor: Actor, id: ObjectId, reason: string): Promise<void> {
  const { models, clock, usage } = core;
  let removed: ImageDoc | null = null;
  await core.events.change(actor, async (tx) => {
    const session = tx.session;
    const now = clock.now();
    // Its owner and its audience may have changed since the caller read it.
    removed = await models.Image.findOneAndDelete({ _id: id }, { session }).lean<ImageDoc>();
    if (!removed) return id;
    const { blob, owner, audience } = removed;
    await models.Tombstone.updateOne({ _id: blob }, { $setOnInsert: { at: now } }, { session, upsert: true });
    await models.Preview.deleteOne({ _id: id }, { session });
    await models.Analysis.deleteOne({ _id: id }, { session });
    await models.Share.updateMany({ image: id, live: true }, { $set: { live: false, endedAt: now } }, { session });
    tx.record({
      type: 'image.delete',
      record: id,
      owners: [owner],
      recipients: [...audience, owner],
      refs: { blob },
      reason,
    });
    return id;
  });
  const gone = removed as ImageDoc | null;
  if (gone) await usage.giveBack(gone.owner, gone.size);
}

/** Removes the bytes of a deleted image, and then what lists them. May be repeated. */
export async function removeBytes({ blobs, models }: Core, blob: ObjectId): Promise<void> {
  await blobs.delete(blob);
  await models.Tombstone.deleteOne({ _id: blob });
}

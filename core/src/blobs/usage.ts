import type { Clock } from '../db/clock.js';
import type { ObjectId } from '../db/ids.js';
import type { Models } from '../models/models.js';

export interface Quota {
  files: number;
  bytes: number;
}

/**
 * How much each account's images take. Room is taken before an image is recorded and given back when it goes, each time
 * by one atomic write outside the image's transaction, so that uploads of one account do not wait for each other. What a
 * crash in between leaves wrong, `recount` puts right.
 */
export class Usage {
  constructor(
    private readonly models: Pick<Models, 'Usage' | 'Image'>,
    private readonly clock: Clock,
  ) {}

  /** Takes room for one file; false when the quota would be passed. */
  async take(owner: ObjectId, bytes: number, quota: Quota): Promise<boolean> {
    const room = { _id: owner, files: { $lt: quota.files }, bytes: { $lte: quota.bytes - bytes } };
    const take = async () =>
      (await this.models.Usage.updateOne(room, { $inc: { files: 1, bytes } })).matchedCount === 1;
    if (await take()) return true;
    if (!(await this.models.Usage.exists({ _id: owner }))) await this.begin(owner);
    // Also when it is there: another upload may have begun the count since we looked for it.
    return take();
  }

  /** Whether not even the smallest file has room. */
  async isFull(owner: ObjectId, quota: Quota): Promise<boolean> {
    const full = { $or: [{ files: { $gte: quota.files } }, { bytes: { $gte: quota.bytes } }] };
    return (await this.models.Usage.exists({ _id: owner, ...full })) !== null;
  }

  async giveBack(owner: ObjectId, bytes: number): Promise<void> {
    await this.models.Usage.updateOne({ _id: owner }, { $inc: { files: -1, bytes: -bytes } });
  }

  /** Moves one file from an account to its heir, who takes it whatever the quota. */
  async passOn(from: ObjectId, to: ObjectId, bytes: number): Promise<void> {
    await this.giveBack(from, bytes);
    // Who was never counted will be, with this one.
    await this.models.Usage.updateOne({ _id: to }, { $inc: { files: 1, bytes } });
  }

  /** Counts anew for accounts that were last counted before `before`, the oldest first. */
  async recount(before: Date, batch: number): Promise<void> {
    const stale = await this.models.Usage.find({ at: { $lt: before } })
      .sort({ at: 1 })
      .limit(batch)
      .lean();
    for (const { _id, files, bytes } of stale) {
      const counted = await this.count(_id);
      // Not over what came or went while it was counted; such an account has its turn again.
      await this.models.Usage.updateOne({ _id, files, bytes }, { $set: { ...counted, at: this.clock.now() } });
    }
  }

  private async begin(owner: ObjectId): Promise<void> {
    const counted = await this.count(owner);
    await this.models.Usage.updateOne(
      { _id: owner },
      { $setOnInsert: { ...counted, at: this.clock.now() } },
      { upsert: true },
    );
  }

  private async count(owner: ObjectId): Promise<Quota> {
    const [sum] = await this.models.Image.aggregate<Quota>([
      { $match: { owner } },
      { $group: { _id: null, files: { $sum: 1 }, bytes: { $sum: '$size' } } },
    ]);
    return { files: sum?.files ?? 0, bytes: sum?.bytes ?? 0 };
  }
}

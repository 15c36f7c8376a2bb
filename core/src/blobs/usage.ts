import type { Clock } from '../db/clock.js';
import type { ObjectId } from '../db/ids.js';
import type { Models } from '../models/models.js';

export interface Quota {
  files: number;
  bytes: number;
}

/**
 * Counts the files and bytes of each account's images and of its resumable uploads under way. Space is taken before an image is recorded and given back when
 * it is deleted, each time by one atomic write outside the image's transaction, so that uploads of one account do not
 * wait for each other. `recount` repairs a count that a crash in between made wrong.
 */
export class Usage {
  constructor(
    private readonly models: Pick<Models, 'Usage' | 'Image' | 'Upload'>,
    private readonly clock: Clock,
  ) {}

  /** Takes the space for one file; false when the quota would be exceeded. */
  async take(owner: ObjectId, bytes: number, quota: Quota): Promise<boolean> {
    const fits = { _id: owner, files: { $lt: quota.files }, bytes: { $lte: quota.bytes - bytes } };
    const tryToTake = async () =>
      (await this.models.Usage.updateOne(fits, { $inc: { files: 1, bytes } })).matchedCount === 1;
    if (await tryToTake()) return true;
    if (!(await this.models.Usage.exists({ _id: owner }))) await this.begin(owner);
    // Try again even if the count exists: another upload may have created it since the check.
    return tryToTake();
  }

  /** True when not even the smallest file fits. */
  async isFull(owner: ObjectId, quota: Quota): Promise<boolean> {
    const full = { $or: [{ files: { $gte: quota.files } }, { bytes: { $gte: quota.bytes } }] };
    return (await this.models.Usage.exists({ _id: owner, ...full })) !== null;
  }

  async giveBack(owner: ObjectId, bytes: number, files = 1): Promise<void> {
    await this.models.Usage.updateOne({ _id: owner }, { $inc: { files: -files, bytes: -bytes } });
  }

  /** Moves files from an account to its heir, who takes them whatever the quota. */
  async passOn(from: ObjectId, to: ObjectId, bytes: number, files = 1): Promise<void> {
    await this.giveBack(from, bytes, files);
    // The usage of an heir without a count is counted later, these files included.
    await this.models.Usage.updateOne({ _id: to }, { $inc: { files, bytes } });
  }

  /** Counts again the accounts that were last counted before `before`, the oldest first. */
  async recount(before: Date, batch: number): Promise<void> {
    const stale = await this.models.Usage.find({ at: { $lt: before } })
      .sort({ at: 1 })
      .limit(batch)
      .lean();
    for (const { _id, files, bytes } of stale) {
      const counted = await this.count(_id);
      // Only if the count is unchanged since it was read. Otherwise the account is counted by a later run.
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
    const total = { $group: { _id: null, files: { $sum: 1 }, bytes: { $sum: '$size' } } };
    const [uploads] = await this.models.Upload.aggregate<Quota>([{ $match: { owner, stored: false } }, total]);
    const [images] = await this.models.Image.aggregate<Quota>([{ $match: { owner } }, total]);
    return {
      files: (uploads?.files ?? 0) + (images?.files ?? 0),
      bytes: (uploads?.bytes ?? 0) + (images?.bytes ?? 0),
    };
  }
}

import { isAway } from '../db/away.js';
import { byId } from '../db/byId.js';
import type { Clock } from '../db/clock.js';
import { grouped } from '../db/group.js';
import type { ObjectId } from '../db/ids.js';
import { onOne } from '../db/onOne.js';
import type { Models } from '../models/models.js';
import type { UsageDoc } from '../models/usage.js';
import { DAY_MS } from '../times.js';

export interface Quota {
  files: number;
  bytes: number;
}

/** Much longer than the time between the taking of space and the record of the file. */
const UNDER_WAY_MS = 5 * 60_000;

interface NewFile {
  owner: ObjectId;
  bytes: number;
  quota: Quota;
}

/**
 * Counts the files and bytes of each account's images and of its resumable uploads under way. Space is taken before an image is recorded and given back when
 * it is deleted, each time by one atomic write outside the image's transaction, so that uploads of one account do not
 * wait for each other. `recount` repairs a count that a crash in between made wrong.
 */
export class Usage {
  private readonly read: (owner: ObjectId) => Promise<UsageDoc | null>;
  private readonly takeTogether = grouped((files: NewFile[]) => this.takeAll(files));

  constructor(
    private readonly models: Pick<Models, 'Usage' | 'Image' | 'Upload'>,
    private readonly clock: Clock,
  ) {
    this.read = byId<UsageDoc>(models.Usage);
  }

  /** Takes the space for one file; false when the quota would be exceeded. */
  async take(owner: ObjectId, bytes: number, quota: Quota): Promise<boolean> {
    return this.takeTogether({ owner, bytes, quota });
  }

  /** Files of one owner that arrive at the same moment take their space in one write, unless not all of them fit. */
  private async takeAll(files: NewFile[]): Promise<boolean[]> {
    const taken = new Set<NewFile>();
    const owners = new Map(files.map(({ owner, quota }) => [String(owner), { owner, quota }]));
    await Promise.all(
      [...owners.values()].map(async ({ owner, quota }) => {
        const theirs = files.filter((file) => file.owner.equals(owner));
        const all = await this.tryToTake(owner, theirs, quota);
        for (const file of theirs) {
          if (all || (theirs.length > 1 && (await this.tryToTake(owner, [file], quota)))) taken.add(file);
        }
      }),
    );
    return files.map((file) => taken.has(file));
  }

  private async tryToTake(_id: ObjectId, added: NewFile[], quota: Quota): Promise<boolean> {
    const files = added.length;
    const bytes = added.reduce((sum, file) => sum + file.bytes, 0);
    const fits = { _id, files: { $lte: quota.files - files }, bytes: { $lte: quota.bytes - bytes } };
    const take = async () =>
      // The record of the image, which is written next with a majority, makes this write durable too.
      (await this.models.Usage.updateOne(fits, { $inc: { files, bytes }, $set: { takenAt: this.clock.now() } }, onOne))
        .matchedCount === 1;
    if (await take()) return true;
    if (!(await this.models.Usage.exists({ _id }))) await this.begin(_id);
    // Try again even if the count exists: another upload may have created it since the check.
    return take();
  }

  /** True when not even the smallest file fits. */
  async isFull(owner: ObjectId, quota: Quota): Promise<boolean> {
    const count = await this.read(owner);
    return count !== null && (count.files >= quota.files || count.bytes >= quota.bytes);
  }

  async giveBack(owner: ObjectId, bytes: number, files = 1): Promise<void> {
    await this.models.Usage.updateOne({ _id: owner }, { $inc: { files: -files, bytes: -bytes } });
  }

  /**
   * Gives the space of a file back that an error refused. Nobody waits for it while no majority confirms a write, or the
   * answer would come twice as late.
   */
  async giveBackAfter(error: unknown, owner: ObjectId, bytes: number): Promise<void> {
    const given = this.giveBack(owner, bytes).catch(() => undefined);
    if (!isAway(error)) await given;
  }

  /** Moves files from an account to its heir, who takes them whatever the quota. */
  async passOn(from: ObjectId, to: ObjectId, bytes: number, files = 1): Promise<void> {
    await this.giveBack(from, bytes, files);
    // The usage of an heir without a count is counted later, these files included.
    await this.models.Usage.updateOne({ _id: to }, { $inc: { files, bytes } });
  }

  /**
   * Counts again the accounts that were last counted a day before `now`, the oldest first. An account whose upload may be
   * under way is counted by a later run: its file has taken its space and has no record yet.
   */
  async recount(now: Date, batch: number): Promise<void> {
    const ago = (ms: number) => new Date(now.getTime() - ms);
    const due = { at: { $lt: ago(DAY_MS) }, takenAt: { $not: { $gt: ago(UNDER_WAY_MS) } } };
    const stale = await this.models.Usage.find(due).sort({ at: 1 }).limit(batch).lean();
    for (const { _id, files, bytes } of stale) {
      const counted = await this.count(_id);
      // Only if the count is unchanged since it was read. Otherwise the account is counted by a later run.
      await this.models.Usage.updateOne({ _id, files, bytes }, { $set: { ...counted, at: now } });
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

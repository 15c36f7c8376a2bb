import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import type { Gateway } from '../context.js';

/** Time after which the lock of a gateway that was killed ends by itself. */
const HELD_MS = 10_000;
/** The clocks of two gateways differ by less than this. */
const CLOCKS_MS = 2_000;
const RENEWED_MS = 500;
const RETRY_MS = 100;
/** Longest wait for another request: longer than the lock of a dead gateway. */
const WAIT_MS = 20_000;

const never = new AbortController().signal;

/**
 * Lets one request at a time change an upload, at whichever gateway it arrives. A request that waits asks the holder to
 * end: a client that resumes has given up its earlier request, even if the holder does not notice yet.
 */
export class UploadLock {
  private readonly holder = randomUUID();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly gateway: Pick<Gateway, 'models' | 'clock' | 'warn'>,
    private readonly id: ObjectId,
  ) {}

  /** Takes the lock. `release` is called when another request waits for it, or when it was lost. */
  async lock(signal: AbortSignal = never, release: () => unknown = () => undefined): Promise<void> {
    const end = performance.now() + WAIT_MS;
    while (!(await this.tryToTake())) {
      if (signal.aborted || performance.now() > end) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
      await sleep(RETRY_MS);
    }
    this.renewal = setInterval(() => {
      this.renew(release).catch((error) => this.gateway.warn(error, 'the lock of an upload was not renewed'));
    }, RENEWED_MS);
  }

  async unlock(): Promise<void> {
    clearInterval(this.renewal);
    await this.uploads.updateOne(this.mine, { $unset: { lock: 1 } });
  }

  /**
   * Also true when there is no such upload any more: the caller then finds nothing. A lock that ends later than one that
   * begins now is of a time before MongoDB's clock was set back, and nobody waits for its end.
   */
  private async tryToTake(): Promise<boolean> {
    const now = this.gateway.clock.now();
    const latest = new Date(now.getTime() + HELD_MS + CLOCKS_MS);
    const isFree = {
      $or: [{ lock: { $exists: false } }, { 'lock.until': { $lte: now } }, { 'lock.until': { $gt: latest } }],
    };
    const taken = await this.uploads.updateOne({ _id: this.id, ...isFree }, { $set: { lock: this.held(false) } });
    if (taken.matchedCount === 1) return true;
    const asked = await this.uploads.updateOne({ _id: this.id, lock: { $exists: true } }, { 'lock.wanted': true });
    return asked.matchedCount === 0 && (await this.uploads.exists({ _id: this.id })) === null;
  }

  private async renew(release: () => unknown): Promise<void> {
    const renewed = await this.uploads
      .findOneAndUpdate(this.mine, { $set: { 'lock.until': this.held(false).until } }, { projection: { lock: 1 } })
      .lean<UploadDoc>();
    if (!renewed?.lock || renewed.lock.wanted) release();
  }

  private held(wanted: boolean) {
    return { holder: this.holder, until: new Date(this.gateway.clock.now().getTime() + HELD_MS), wanted };
  }

  private get uploads() {
    return this.gateway.models.Upload;
  }

  private get mine() {
    return { _id: this.id, 'lock.holder': this.holder };
  }
}

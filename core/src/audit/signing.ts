import { isDuplicate, newId, type ObjectId } from '../db/ids.js';
import type { KeyRing } from '../keys/keyring.js';
import type { Models } from '../models/models.js';
import type { AuditReceiptDoc, EventDoc } from '../models/types.js';
import { signEvent } from './entry.js';
import { makeReceipt } from './receipts.js';

const FLUSH_MS = 300;
const MOST_EVENTS = 5_000;

/**
 * Signs the events of this process, and states in receipts, numbered without a gap, which of them were committed. Numbers
 * are given to receipts and not to events: a transaction that is tried again or given up leaves no hole.
 */
export class EventSigner {
  /** This start of this process. */
  private readonly run = String(newId());
  private n = 0;
  private committed: ObjectId[] = [];
  private uncertain: ObjectId[] = [];
  /** Kept as it is until it is known to be written. */
  private receipt: AuditReceiptDoc | null = null;
  private timer: NodeJS.Timeout | null = null;
  private flushing: Promise<void> | null = null;

  constructor(
    private readonly models: Models,
    private readonly ring: KeyRing,
    private readonly warn: (error: unknown, text: string) => void,
  ) {}

  sign(event: EventDoc): EventDoc {
    return signEvent(this.ring, event);
  }

  /** They are on a majority. */
  wasCommitted(events: EventDoc[]): void {
    if (events.length === 0) return;
    for (const { _id } of events) this.committed.push(_id);
    this.flushSoon();
  }

  /** The answer to their write was lost: whether they are there is asked before they are stated. */
  mayBeCommitted(events: EventDoc[]): void {
    if (events.length === 0) return;
    for (const { _id } of events) this.uncertain.push(_id);
    this.flushSoon();
  }

  /** Writes the receipts of all that was committed so far. */
  async flush(): Promise<void> {
    this.flushing ??= this.write().finally(() => {
      this.flushing = null;
    });
    return this.flushing;
  }

  /** What cannot be written any more is in the log all the same; only its removal would not be noticed. */
  async close(): Promise<void> {
    await this.flush().catch((error) => this.warn(error, 'the last receipt for the audit log was not written'));
    if (this.timer) clearTimeout(this.timer);
  }

  private flushSoon(): void {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush().catch((error) => {
        this.warn(error, 'a receipt for the audit log is written later');
        this.flushSoon();
      });
    }, FLUSH_MS).unref();
  }

  private async write(): Promise<void> {
    if (this.uncertain.length > 0) {
      const asked = this.uncertain;
      const there = await this.models.Event.find({ _id: { $in: asked } }, { _id: 1 }).lean();
      this.uncertain = this.uncertain.slice(asked.length);
      this.committed.push(...there.map(({ _id }) => _id));
    }
    for (;;) {
      this.receipt ??= this.nextReceipt();
      if (!this.receipt) return;
      await this.models.AuditReceipt.insertMany([this.receipt], { lean: true }).catch((error) => {
        // Written by a try whose answer was lost.
        if (!isDuplicate(error)) throw error;
      });
      this.receipt = null;
    }
  }

  private nextReceipt(): AuditReceiptDoc | null {
    if (this.committed.length === 0) return null;
    return makeReceipt(this.ring, this.run, ++this.n, this.committed.splice(0, MOST_EVENTS));
  }
}

import { isDuplicate, newId, type ObjectId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { KeyRing } from '../keys/keyring.js';
import type { AuditReceiptDoc } from '../models/auditReceipt.js';
import type { EventDoc } from '../models/event.js';
import type { Models } from '../models/models.js';
import { signEvent } from './entry.js';
import { makeReceipt, takenUp } from './receipts.js';

const FLUSH_MS = 300;
const MOST_EVENTS = 5_000;
/**
 * Most receipts that a process remembers until the log has taken them up. Workers that are away for minutes leave fewer
 * open.
 */
const MOST_RECEIPTS = 1_000;

/**
 * Signs the events of this process, and states in receipts, numbered without a gap, which of them were committed.
 * Receipts have the numbers, not events: a transaction that is retried or aborted leaves no hole.
 */
export class EventSigner {
  /** The id of this start of the process. */
  private readonly run = String(newId());
  private n = 0;
  private committed: ObjectId[] = [];
  private uncertain: ObjectId[] = [];
  /** The receipt to write next; it stays the same until its write is confirmed. */
  private receipt: AuditReceiptDoc | null = null;
  /** Receipts that are written and not known to be taken up. */
  private open: AuditReceiptDoc[] = [];
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

  /** Adds events that a majority has. */
  wasCommitted(events: EventDoc[]): void {
    if (events.length === 0) return;
    for (const { _id } of events) this.committed.push(_id);
    this.flushSoon();
  }

  /** Adds events whose write got no answer. `write` checks whether they exist before it states them. */
  mayBeCommitted(events: EventDoc[]): void {
    if (events.length === 0) return;
    for (const { _id } of events) this.uncertain.push(_id);
    this.flushSoon();
  }

  /** Writes the receipts for everything that was committed so far. */
  async flush(): Promise<void> {
    this.flushing ??= this.write().finally(() => {
      this.flushing = null;
    });
    return this.flushing;
  }

  /**
   * Writes again the receipts that are gone although the log has not taken them up, and returns their number. Otherwise
   * a writer of the database could remove events together with their receipts, unnoticed.
   */
  async restoreReceipts(): Promise<number> {
    const open = [...this.open];
    if (open.length === 0) return 0;
    const found = await this.models.AuditReceipt.find({ _id: { $in: open.map(({ _id }) => _id) } }, { _id: 1 })
      .readConcern(NEWEST)
      .lean();
    const there = new Set(found.map(({ _id }) => String(_id)));
    // Read last: the log counts a receipt as taken up before it removes it.
    const done = await takenUp(this.models, this.ring, this.run);
    this.open = this.open.filter(({ n }) => n > done);
    const gone = open.filter(({ n, _id }) => n > done && !there.has(String(_id)));
    for (const receipt of gone) await this.insert(receipt);
    return gone.length;
  }

  /**
   * Writes the last receipt. Events without a receipt are in the log all the same; only their removal would not be
   * noticed.
   */
  async close(): Promise<void> {
    await this.flush().catch((error) => this.warn(error, 'the last receipt for the audit log was not written'));
    if (this.timer) clearTimeout(this.timer);
  }

  private flushSoon(): void {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush().catch((error) => {
        this.warn(error, 'a receipt for the audit log was not written; retrying');
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
      await this.insert(this.receipt);
      this.open = [...this.open.slice(1 - MOST_RECEIPTS), this.receipt];
      this.receipt = null;
    }
  }

  private async insert(receipt: AuditReceiptDoc): Promise<void> {
    await this.models.AuditReceipt.insertMany([receipt], { lean: true }).catch((error) => {
      // An earlier attempt wrote it, but its answer was lost.
      if (!isDuplicate(error)) throw error;
    });
  }

  private nextReceipt(): AuditReceiptDoc | null {
    if (this.committed.length === 0) return null;
    return makeReceipt(this.ring, this.run, ++this.n, this.committed.splice(0, MOST_EVENTS));
  }
}

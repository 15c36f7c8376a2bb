import type { Connection } from 'mongoose';

/** Left for messages, the audit log and MongoDB's own journal when uploads are refused already. */
const RESERVE_BYTES = 512 * 1024 * 1024;
/** The reserve on a small disk. */
const RESERVE_SHARE = 0.1;
/** Journal, oplog and collection: what is uploaded is written about three times. */
const WRITTEN_TIMES = 3;
const FRESH_MS = 5_000;

/**
 * The room on MongoDB's disk. A database whose disk is full ends itself, so uploads are refused while everything else
 * still has room to go on.
 */
export class Room {
  private reading: { free: number; total: number } | null = null;
  private readAt = 0;

  constructor(private readonly db: Connection) {}

  /** Whether an upload of so many bytes leaves the reserve untouched. */
  async has(bytes: number): Promise<boolean> {
    const { free, total } = await this.read();
    return free - bytes * WRITTEN_TIMES > Math.min(RESERVE_BYTES, total * RESERVE_SHARE);
  }

  private async read(): Promise<{ free: number; total: number }> {
    if (!this.reading || Date.now() - this.readAt > FRESH_MS) {
      const stats = await this.db.db?.command({ dbStats: 1 });
      // A server that does not say it (some hosted ones) looks after its disk itself.
      const total = Number(stats?.fsTotalSize ?? Number.POSITIVE_INFINITY);
      this.reading = { free: total - Number(stats?.fsUsedSize ?? 0), total };
      this.readAt = Date.now();
    }
    return this.reading;
  }
}

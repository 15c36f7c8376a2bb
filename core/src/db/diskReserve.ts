import { statfs } from 'node:fs/promises';
import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';

/** Bytes left for messages, the audit log and MongoDB's own journal when uploads are already refused. */
const RESERVE_BYTES = 512 * 1024 * 1024;
/** The reserve on a small disk, as a fraction of the disk. */
const RESERVE_SHARE = 0.1;
/** An upload is written about three times: to journal, oplog and collection. */
const WRITTEN_TIMES = 3;
const FRESH_MS = 5_000;

interface Disk {
  free: number;
  total: number;
}

const NO_LIMIT: Disk = { free: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };

/**
 * Checks the free space on MongoDB's disk, and on that of the folder of the blobs where there is one. A database whose
 * disk is full stops, so uploads are refused while there is still space for everything else.
 */
export class DiskReserve {
  private disk: Disk | null = null;
  private readAt = 0;
  private reading: Promise<Disk> | null = null;
  /** Bytes for uploads under way, and for uploads that ended since the disk was read. */
  private promised = 0;
  private spent = 0;

  constructor(
    private readonly db: Connection,
    private readonly config: Pick<Config, 'reserveBytes' | 'blobs'>,
  ) {}

  /** Reserves the space for an upload of so many bytes until it has ended; null when that would touch the reserve. */
  async take(bytes: number): Promise<(() => void) | null> {
    const written = bytes * WRITTEN_TIMES;
    // Several uploads at once would each find the space that is there for one.
    if (!(await this.fits(bytes))) return null;
    this.promised += written;
    return () => {
      this.promised -= written;
      this.spent += written;
    };
  }

  /** True when an upload of so many bytes would fit now. Reserves nothing. */
  async fits(bytes: number): Promise<boolean> {
    const { free, total } = await this.read();
    return free - this.promised - this.spent - bytes * WRITTEN_TIMES > this.reserveOf(total);
  }

  /** Returns the free bytes; infinity when the server does not report them. */
  async free(): Promise<number> {
    return (await this.read()).free;
  }

  private reserveOf(total: number): number {
    return this.config.reserveBytes ?? Math.min(RESERVE_BYTES, total * RESERVE_SHARE);
  }

  private async read(): Promise<Disk> {
    if (this.disk && performance.now() - this.readAt <= FRESH_MS) return this.disk;
    this.reading ??= this.ask().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async ask(): Promise<Disk> {
    const { spent } = this;
    const disks = await Promise.all([this.ofMongo(), this.ofFolder()]);
    const room = ({ free, total }: Disk) => free - this.reserveOf(total);
    const disk = disks.reduce((least, one) => (room(one) < room(least) ? one : least));
    this.disk = disk;
    this.readAt = performance.now();
    this.spent -= spent;
    return disk;
  }

  private async ofMongo(): Promise<Disk> {
    const stats = await this.db.db?.command({ dbStats: 1 });
    // A server that does not report it (some hosted ones) manages its disk itself.
    const total = Number(stats?.fsTotalSize ?? Number.POSITIVE_INFINITY);
    return { free: total - Number(stats?.fsUsedSize ?? 0), total };
  }

  private async ofFolder(): Promise<Disk> {
    const { store, dir } = this.config.blobs;
    if (store !== 'file' || !dir) return NO_LIMIT;
    // The first blob makes the folder.
    const disk = await statfs(dir).catch(() => null);
    return disk ? { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize } : NO_LIMIT;
  }
}

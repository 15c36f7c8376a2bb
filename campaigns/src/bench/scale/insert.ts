import { onOne } from '@lightbox/core/db/onOne.js';
import type { Model } from 'mongoose';

const BATCH = 2_000;
/** Batches that are written while the next one is made. */
const AHEAD = 3;

/** Collects records and writes them in batches, without validation, acknowledged by one member. */
export class Inserts<T> {
  private rows: T[] = [];
  private readonly writing = new Set<Promise<unknown>>();

  constructor(private readonly model: Model<T>) {}

  async add(...rows: T[]): Promise<void> {
    this.rows.push(...rows);
    if (this.rows.length < BATCH) return;
    this.write();
    if (this.writing.size >= AHEAD) await Promise.race(this.writing);
  }

  async end(): Promise<void> {
    if (this.rows.length > 0) this.write();
    await Promise.all(this.writing);
  }

  private write(): void {
    const written = this.model.collection
      .insertMany(this.rows as never[], { ordered: false, ...onOne })
      .finally(() => this.writing.delete(written));
    this.writing.add(written);
    this.rows = [];
  }
}

export async function insert<T>(model: Model<T>, rows: T[]): Promise<void> {
  const inserts = new Inserts(model);
  for (const row of rows) await inserts.add(row);
  await inserts.end();
}

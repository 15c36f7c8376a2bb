import type { ClientSession, Model } from 'mongoose';

/**
 * Records that a transaction inserts at its end, those of one collection in one command. Until then no command of the
 * transaction finds them.
 */
export class Inserts {
  private waiting = new Map<Model<never>, object[]>();

  constructor(private readonly session: ClientSession) {}

  add<T>(model: Model<T>, record: T): void {
    const key = model as unknown as Model<never>;
    const rows = this.waiting.get(key);
    if (rows) rows.push(record as object);
    else this.waiting.set(key, [record as object]);
  }

  /** Returns the records of a collection that wait. */
  of<T>(model: Model<T>): readonly T[] {
    return (this.waiting.get(model as unknown as Model<never>) ?? []) as T[];
  }

  /** Inserts what waits, for a command that reads or changes it. */
  async write(): Promise<void> {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const [model, rows] of waiting) {
      await model.collection.insertMany(rows, { session: this.session, ignoreUndefined: true });
    }
  }
}

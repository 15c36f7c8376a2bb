import { setTimeout as sleep } from 'node:timers/promises';
import type { PageQuery, Pagination, SortOf } from '@lightbox/contract/envelope.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Model, QueryFilter } from 'mongoose';
import { fieldError } from '../errors.js';
import type { KeyRing } from '../keys/keyring.js';
import { openText, sealText } from '../keys/seal.js';
import type { CounterDoc } from '../models/counter.js';
import type { Clock } from './clock.js';
import { oid } from './ids.js';

export interface ListSource<T> {
  model: Model<T>;
  filter: QueryFilter<T>;
  /** The sort fields, the last one unique, all in one direction. An index must serve filter and order. */
  sort: readonly (keyof T & string)[];
  direction: 1 | -1;
  projection?: Record<string, 0 | 1>;
  /**
   * The name of an unfiltered list, whose total may come from a stored counter. Absent for other lists, whose totals
   * are capped.
   */
  counter?: string;
  /** A filter that finds the same rows and that the index answers alone: the total is counted without reading a row. */
  counted?: { filter: QueryFilter<T>; index: Record<string, 1> };
}

/** The sort keys of a list, and the fields of each: those that people read first, and a unique one last. */
export type Orders<T, K extends string> = Record<K, readonly (keyof T & string)[]>;

/** Returns the order for `sort=key` or `sort=-key`. */
export function orderOf<T, K extends string>(
  orders: Orders<T, K>,
  sort: SortOf<K>,
): Pick<ListSource<T>, 'sort' | 'direction'> {
  return { sort: orders[keyOf(sort)], direction: sort.startsWith('-') ? -1 : 1 };
}

export const keyOf = <K extends string>(sort: SortOf<K>): K => sort.replace(/^-/, '') as K;

type Counted<T> = Pick<ListSource<T>, 'model' | 'filter' | 'counter' | 'counted'>;

interface Key {
  /** Values of the sort fields at the edge of the page. */
  at: unknown[];
  back: boolean;
  page: number;
}

const COUNTER_LAG_MS = 30_000;
/** The oldest total that a reader gets, where counting the list is quick. Nobody may have read it for a night. */
const OLDEST_MS = 60_000;
const QUICK_MS = 100;
/** A process counts a list for a twentieth of the time at most. */
const COUNTING_PART = 20;
/** Milliseconds that readers of a list wait for its first count. */
const COUNT_MS = 1_000;
/** Rows per query when a whole list is read. */
const CHUNK = 500;

/**
 * Reads one page of a list by key, so that it costs the same at any depth: the cursor contains the edge of the
 * neighbouring page, sealed because an edge may be a name. A `page` number without a cursor is served by skipping,
 * which suits the first pages only.
 */
export class Pages {
  /** The lists that are being counted, by the names of their counters. */
  private readonly counting = new Map<string, Promise<number | null>>();

  constructor(
    private readonly cursors: KeyRing,
    private readonly counters: Model<CounterDoc>,
    private readonly clock: Clock,
  ) {}

  async list<T>(source: ListSource<T>, query: PageQuery): Promise<{ rows: T[]; pagination: Pagination }> {
    const key = query.cursor === undefined ? null : this.readCursor(source, query.cursor);
    const [total, found] = await Promise.all([
      this.total(source),
      key ? this.byKey(source, query.limit, key) : this.byNumber(source, query),
    ]);
    const page = key?.page ?? query.page;
    if (!key && total.count === 0) found.hasPrev = false;
    return { rows: found.rows, pagination: this.pagination(source, query.limit, page, total, found) };
  }

  /**
   * Yields all rows of a list in its order, a chunk at a time and each by key: no cursor stays open in the database for
   * a slow reader.
   */
  async *all<T>(source: ListSource<T>): AsyncGenerator<T[]> {
    let edge: unknown[] | undefined;
    for (;;) {
      const rows = edge ? await this.beyond(source, edge, CHUNK) : await this.find(source).limit(CHUNK).lean<T[]>();
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK) return;
      edge = source.sort.map((field) => last[field]);
    }
  }

  /**
   * Returns the page, of pages of this size, on which the rows of this time begin. After as many rows as totals are exact,
   * a page begins with the first of them, and its number is estimated: counting all rows before it would take longer and
   * longer.
   */
  async placeOf<T>(
    source: ListSource<T>,
    field: keyof T & string,
    at: Date,
    limit: number,
  ): Promise<{ page: number; cursor?: string }> {
    const earlier = { [field]: { [source.direction === 1 ? '$lt' : '$gt']: at } } as QueryFilter<T>;
    const before = { ...source, filter: { $and: [source.filter, earlier] } as QueryFilter<T> };
    const [far] = await this.find(before).skip(limits.exactTotal).limit(1).lean<T[]>();
    const index = far ? await this.estimate(source, field, at, far) : await source.model.countDocuments(before.filter);
    const page = Math.floor(index / limit) + 1;
    if (page === 1) return { page };
    // The last row of the page before.
    const back = { ...before, direction: -source.direction as 1 | -1 };
    const [edge] = await this.find(back)
      .skip(far ? 0 : index % limit)
      .limit(1)
      .lean<T[]>();
    return edge ? { page, cursor: this.writeCursor(source, edge, false, page) } : { page: 1 };
  }

  /** Estimates the number of rows before a time, by the time that the first of them take up to the row `far`. */
  private async estimate<T>(source: ListSource<T>, field: keyof T & string, at: Date, far: T): Promise<number> {
    const [first] = await this.find(source).limit(1).lean<T[]>();
    const start = Number(first?.[field]);
    const rows = (limits.exactTotal * (at.getTime() - start)) / (Number(far[field]) - start);
    return Math.max(limits.exactTotal, Math.round(Number.isFinite(rows) ? rows : 0));
  }

  /** Returns the total of a list; above the exact limit from its counter. */
  async count<T>(source: Counted<T>): Promise<number> {
    return (await this.total(source)).count;
  }

  private async byKey<T>(source: ListSource<T>, limit: number, key: Key) {
    const direction = key.back ? (-source.direction as 1 | -1) : source.direction;
    const rows = await this.beyond({ ...source, direction }, key.at, limit + 1);
    const more = rows.length > limit;
    const shown = rows.slice(0, limit);
    if (key.back) shown.reverse();
    return { rows: shown, hasPrev: key.back ? more : true, hasNext: key.back ? true : more };
  }

  private async byNumber<T>(source: ListSource<T>, { page, limit }: PageQuery) {
    const skip = (page - 1) * limit;
    const rows = await this.find(source)
      .skip(skip)
      .limit(limit + 1)
      .lean<T[]>();
    return { rows: rows.slice(0, limit), hasPrev: page > 1, hasNext: rows.length > limit };
  }

  /**
   * Returns the rows after an edge: first those that differ from it in the last field alone, at the end those that
   * differ in the first. Each query is a plain range that an index has in order; one `$or` of all ranges would make the
   * database sort.
   */
  private async beyond<T>(source: ListSource<T>, edge: unknown[], limit: number): Promise<T[]> {
    const after = source.direction === 1 ? '$gt' : '$lt';
    const rows: T[] = [];
    for (let same = source.sort.length - 1; same >= 0 && rows.length < limit; same--) {
      const equal = Object.fromEntries(source.sort.slice(0, same).map((field, i) => [field, edge[i]]));
      const range = { ...equal, [source.sort[same] as string]: { [after]: edge[same] } } as QueryFilter<T>;
      const step = { ...source, filter: { $and: [source.filter, range] }, sort: source.sort.slice(same) };
      rows.push(
        ...(await this.find(step)
          .limit(limit - rows.length)
          .lean<T[]>()),
      );
    }
    return rows;
  }

  private find<T>({ model, filter, projection, sort, direction }: ListSource<T>) {
    return model.find(filter, projection).sort(Object.fromEntries(sort.map((field) => [field, direction])));
  }

  /** Exact up to the limit; above it from the counter, or capped. */
  private async total<T>(source: Counted<T>): Promise<{ count: number; capped: boolean }> {
    const upTo = limits.exactTotal + 1;
    // A list that was far above the limit a moment ago is not counted up to it again.
    const stored = source.counter ? await this.stored(source, source.counter) : null;
    if (stored && stored.count > 2 * upTo) return { count: stored.count, capped: false };
    const few = source.counted
      ? await source.model.countDocuments(source.counted.filter, { limit: upTo, hint: source.counted.index })
      : await source.model.countDocuments(source.filter, { limit: upTo });
    if (few < upTo) return { count: few, capped: false };
    if (!source.counter) return { count: limits.exactTotal, capped: true };
    if (stored) return { count: stored.count, capped: false };
    const count = await this.recount(source, source.counter);
    return count === null ? { count: limits.exactTotal, capped: true } : { count, capped: false };
  }

  /**
   * Returns the stored count; null when there is none. An old one is counted again, in the background where that takes long.
   */
  private async stored<T>(source: Counted<T>, name: string): Promise<{ count: number } | null> {
    const stored = await this.counters.findById(name).lean<CounterDoc>();
    if (!stored) return null;
    const { tookMs = 0, at } = stored;
    const age = this.clock.now().getTime() - at.getTime();
    if (age <= Math.max(COUNTER_LAG_MS, COUNTING_PART * tookMs)) return stored;
    const recounted = this.recount(source, name).catch(() => null);
    const count = age > OLDEST_MS && tookMs <= QUICK_MS ? await recounted : null;
    return count === null ? stored : { count };
  }

  /**
   * Counts a list and stores the count. Returns null when that takes long. Readers at the same time share the count that is
   * under way, and none waits longer than the first.
   */
  private recount<T>(source: Counted<T>, name: string): Promise<number | null> {
    const underWay = this.counting.get(name);
    if (underWay) return underWay;
    const counted = this.countAll(source, name).finally(() => this.counting.delete(name));
    const soon = Promise.race([counted, sleep(COUNT_MS, null, { ref: false })]);
    this.counting.set(name, soon);
    return soon;
  }

  private async countAll<T>(source: Counted<T>, name: string): Promise<number> {
    const whole = Object.keys(source.filter).length === 0;
    const start = performance.now();
    const count = await (whole ? source.model.estimatedDocumentCount() : source.model.countDocuments(source.filter));
    const tookMs = performance.now() - start;
    await this.counters.updateOne({ _id: name }, { $set: { count, tookMs, at: this.clock.now() } }, { upsert: true });
    return count;
  }

  private pagination<T>(
    source: ListSource<T>,
    limit: number,
    page: number,
    total: { count: number; capped: boolean },
    found: { rows: T[]; hasPrev: boolean; hasNext: boolean },
  ): Pagination {
    const first = found.rows[0];
    const last = found.rows.at(-1);
    return {
      currentPage: page,
      pageSize: limit,
      totalPages: Math.max(1, Math.ceil(total.count / limit)),
      totalItems: total.count,
      ...(total.capped ? { totalItemsCapped: true } : {}),
      hasPrevPage: found.hasPrev,
      hasNextPage: found.hasNext,
      ...(found.hasNext && last ? { nextCursor: this.writeCursor(source, last, false, page + 1) } : {}),
      ...(found.hasPrev && first ? { prevCursor: this.writeCursor(source, first, true, Math.max(1, page - 1)) } : {}),
    };
  }

  private writeCursor<T>(source: ListSource<T>, row: T, back: boolean, page: number): string {
    const at = source.sort.map((field) => row[field]);
    return sealText(this.cursors, orderName(source), JSON.stringify({ at, back, page }));
  }

  private readCursor<T>(source: ListSource<T>, cursor: string): Key {
    const text = openText(this.cursors, orderName(source), cursor);
    if (text === null) throw fieldError('cursor', 'This cursor is not valid.');
    const { at, back, page } = JSON.parse(text) as Key;
    const typed = source.sort.map((field, i) => typedAs(source.model, field, at[i]));
    return { at: typed, back, page };
  }
}

/**
 * Names the order of a cursor. A cursor is valid for its own order only: in another one its edge is in another place.
 */
const orderName = <T>({ model, sort, direction }: ListSource<T>): string =>
  `${model.modelName} ${sort.join()} ${direction}`;

/** Restores dates and ids, which JSON turned into text, by their types in the schema. */
function typedAs<T>(model: Model<T>, field: string, value: unknown): unknown {
  const kind = model.schema.path(field)?.instance;
  if (kind === 'Date') return new Date(String(value));
  if (kind === 'ObjectId') return oid(String(value));
  return value;
}

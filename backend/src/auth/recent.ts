import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import type { ServerEvent } from '@lightbox/contract/events.js';
import type { ReadFacts } from '@lightbox/core/access/images.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { consequencesOf } from '@lightbox/core/events/reactions.js';
import type { Signal } from '@lightbox/core/events/signals.js';
import type { PreviewDoc } from '@lightbox/core/models/preview.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { LRUCache } from 'lru-cache';

/**
 * The longest time that a record is used after it was read, or after MongoDB said that it has not changed, also when no
 * signal arrives. Milliseconds.
 */
export const RECENT_MS = 500;

/** The fields of a session that permit a call, and of an account also those that others see. */
const sessionFields = ['_id', 'user', 'lastSeenAt', 'expiresAt', 'endedAt', 'token', 'signOn'] as const;
const userFields = [
  '_id',
  'role',
  'status',
  'active',
  'deletedAt',
  'totpAt',
  'passkeyAt',
  'firstname',
  'lastname',
  'photo',
] as const;

/** The kept part of a session, and of an account. Their other fields would be in memory for each open connection. */
export type KeptSession = Pick<SessionDoc, (typeof sessionFields)[number]>;
export type KeptUser = Pick<UserDoc, (typeof userFields)[number]>;

/** Returns a function that copies those of the fields that a record has. */
const only =
  <T extends object>(fields: readonly (keyof T)[]) =>
  (record: T): T =>
    Object.fromEntries(fields.flatMap((field) => (field in record ? [[field, record[field]]] : []))) as T;

/** The moment at which a read began. */
interface Begun {
  at: number;
  forgotten: number;
}

/** Records of one kind, by a key. */
export class Kept<T extends object> {
  private readonly entries: LRUCache<string, { at: number; value: T }>;
  private forgotten = 0;
  private readonly underWay = new Map<string, { begun: Begun; value: Promise<T> }>();

  /**
   * `sizeOf`: the bytes of a record; without it each counts as one. `confirmedAt`: the moment up to which no record has
   * changed since it was read. `trim`: leaves out what nobody needs of a record that is kept.
   */
  constructor(
    most: number,
    sizeOf: (value: T) => number = () => 1,
    private readonly confirmedAt: () => number = () => Number.NEGATIVE_INFINITY,
    private readonly trim: (value: T) => T = (value) => value,
  ) {
    this.entries = new LRUCache({ maxSize: most, sizeCalculation: ({ value }) => Math.max(1, sizeOf(value)) });
  }

  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    return entry && performance.now() - Math.max(entry.at, this.confirmedAt()) < RECENT_MS ? entry.value : undefined;
  }

  /** Reads a record anew, and keeps it. */
  async read(key: string, read: () => Promise<T | null>): Promise<T | null> {
    const begun = this.begin();
    const found = await read();
    const value = found && this.trim(found);
    if (value) this.keep(key, value, begun);
    return value;
  }

  /**
   * Returns what `get` returns, or what a read finds that is under way, if nothing was forgotten since it began. So calls
   * that come together share one read.
   */
  async getSoon(key: string): Promise<T | undefined> {
    const kept = this.get(key);
    if (kept) return kept;
    const under = this.underWay.get(key);
    return under?.begun.forgotten === this.forgotten ? under.value.catch(() => undefined) : undefined;
  }

  /** Lets `getSoon` wait for a read. */
  whileRead(key: string, begun: Begun, value: Promise<T>): Promise<T> {
    const own = { begun, value };
    this.underWay.set(key, own);
    return value.finally(() => {
      if (this.underWay.get(key) === own) this.underWay.delete(key);
    });
  }

  /** Call it before the read. */
  begin(): Begun {
    return { at: performance.now(), forgotten: this.forgotten };
  }

  /** Keeps what was read, unless something ended meanwhile: the read may show the state before. */
  keep(key: string, value: T, { at, forgotten }: Begun): void {
    if (forgotten === this.forgotten) this.entries.set(key, { at, value });
  }

  /** Forgets one record, and keeps none whose read is under way. */
  drop(key: string): void {
    this.forgotten += 1;
    this.entries.delete(key);
  }

  forget(): void {
    this.forgotten += 1;
    this.entries.clear();
  }
}

/** Live updates after which everybody has the same rights as before. All others end what is kept. */
const changesNoRight: ReadonlySet<ServerEvent> = new Set([
  'message:new',
  'message:delivered',
  'message:read',
  'typing',
  'presence',
  'notification:new',
  'notification:settled',
  'notification:chosen',
  'image:uploaded',
  'image:activity',
  'annotations:changed',
  'analysis:progress',
  'analysis:completed',
  'analysis:failed',
  'analysis:signed',
  'analysis:withdrawn',
]);

/**
 * The records on which access rests, for a moment after they were read: many reads of one person come together. They
 * permit only: a caller that would refuse by them reads again. They end with each change in this process, with the
 * signals by which the other gateways tell of an ended session or share, and after half a second. Sessions and accounts are
 * kept for longer while MongoDB says that they have not changed.
 */
export class Recent {
  /** The moment up to which all changes of sessions and accounts are known (`follow.ts`). */
  private confirmedAt = Number.NEGATIVE_INFINITY;
  readonly sessions = new Kept<KeptSession>(10_000, undefined, () => this.confirmedAt, only(sessionFields));
  readonly users = new Kept<KeptUser>(10_000, undefined, () => this.confirmedAt, only(userFields));
  /** The facts about an image and its reader, by the ids of both. */
  readonly facts = new Kept<ReadFacts>(5_000);
  /** The sealed bytes of originals that fit into one chunk, by the id of their blob. */
  readonly chunks = new Kept<Buffer>(16 * 1024 * 1024, ({ length }) => length);
  /** The sealed previews, by the ids of the reader and the image. */
  readonly previews = new Kept<PreviewDoc>(16 * 1024 * 1024, ({ sealed }) => bufferOf(sealed).length);

  hear(signal: Signal): void {
    if ('cut' in signal || !changesNoRight.has(signal.push.name)) this.forget();
  }

  /** Hears of a change of this process by the types of its events, before any signal. */
  hearOwn(types: AuditAction[]): void {
    const pushes = types.map((type) => consequencesOf(type)?.push);
    if (pushes.length === 0 || !pushes.every((push) => push && changesNoRight.has(push))) this.forget();
  }

  /** Forgets a session or an account that has changed; all of them without an id. */
  changed(id: string | undefined): void {
    for (const kept of [this.sessions, this.users]) id ? kept.drop(id) : kept.forget();
  }

  /** Everything that changed before this moment was told with `changed`. */
  confirm(at: number): void {
    this.confirmedAt = at;
  }

  forget(): void {
    this.sessions.forget();
    this.users.forget();
    this.facts.forget();
    this.previews.forget();
    this.chunks.forget();
  }
}

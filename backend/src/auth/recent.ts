import type { ServerEvent } from '@lightbox/contract/events.js';
import type { ReadFacts } from '@lightbox/core/access/images.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import type { Signal } from '@lightbox/core/events/signals.js';
import type { PreviewDoc } from '@lightbox/core/models/preview.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { LRUCache } from 'lru-cache';

/** The longest time that a record is used after it was read, also when no signal arrives. Milliseconds. */
export const RECENT_MS = 500;

/** The moment at which a read began. */
interface Begun {
  at: number;
  forgotten: number;
}

/** Records of one kind, by a key. */
export class Kept<T extends object> {
  private readonly entries: LRUCache<string, { at: number; value: T }>;
  private forgotten = 0;

  /** `sizeOf`: the bytes of a record; without it each counts as one. */
  constructor(most: number, sizeOf: (value: T) => number = () => 1) {
    this.entries = new LRUCache({ maxSize: most, sizeCalculation: ({ value }) => Math.max(1, sizeOf(value)) });
  }

  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    return entry && performance.now() - entry.at < RECENT_MS ? entry.value : undefined;
  }

  /** Call it before the read. */
  begin(): Begun {
    return { at: performance.now(), forgotten: this.forgotten };
  }

  /** Keeps what was read, unless something ended meanwhile: the read may show the state before. */
  keep(key: string, value: T, { at, forgotten }: Begun): void {
    if (forgotten === this.forgotten) this.entries.set(key, { at, value });
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
 * signals by which the other gateways tell of an ended session or share, and after half a second.
 */
export class Recent {
  readonly identities = new Kept<{ session: SessionDoc; user: UserDoc }>(5_000);
  /** By person and image. */
  readonly facts = new Kept<ReadFacts>(5_000);
  /** Sealed, by person and image. */
  readonly previews = new Kept<PreviewDoc>(16 * 1024 * 1024, ({ sealed }) => bufferOf(sealed).length);

  hear(signal: Signal): void {
    if ('cut' in signal || !changesNoRight.has(signal.push.name)) this.forget();
  }

  forget(): void {
    this.identities.forget();
    this.facts.forget();
    this.previews.forget();
  }
}

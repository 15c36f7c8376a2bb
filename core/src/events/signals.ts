import { randomUUID } from 'node:crypto';
import type { ServerEvent } from '@lightbox/contract/events.js';
import type { Redis } from 'ioredis';
import { grouped } from '../db/group.js';
import type { Logger } from '../process/log.js';

/**
 * Something to show in browsers now. It carries ids and numbers, never content: the gateway that holds the socket reads
 * the record again, through the policy.
 */
export interface LiveUpdate {
  name: ServerEvent;
  /** User ids, or `role:admin` and its like. */
  to: string[];
  refs: Record<string, string | number | string[]>;
}

/** Ends sockets everywhere. */
export interface Disconnect {
  sessions: string[];
  reason: string;
}

export type Signal = { push: LiveUpdate } | { cut: Disconnect };

export interface Listener {
  deliver: (signal: Signal) => void;
  /** Signals passed that this reader cannot have heard, and will not hear. */
  missed: () => void;
}

const STREAM = 'lightbox:signals';
/** Roughly a minute of a very busy service; a reader that was away longer is told that it missed some. */
const LENGTH = 20_000;
const COUNT = 500;
/** How long a read waits. Each that comes back empty looks at the stream itself. */
const BLOCK_MS = 1_000;
/** Signals kept for a Redis that is away; beyond it the oldest are dropped. */
const MOST_KEPT = 5_000;

/** Where a reader stands: the last id it read, and how many entries the stream had been given up to it. */
interface Place {
  last: string;
  read: number;
}

/**
 * From any process to every gateway, over one Redis stream. A stream rather than publish and subscribe: a gateway whose
 * connection broke goes on reading where it stopped, and can tell when the stream no longer holds what it did not read.
 */
export class Signals {
  private readonly origin = randomUUID();
  private listener: Listener | null = null;
  private stopped = false;
  private reading: Promise<void> | null = null;
  private kept: Signal[] = [];
  /** What comes while a write is under way shares the next one; alone it goes at once. */
  private readonly append = grouped((signals: Signal[]) => this.write(signals));

  constructor(
    private readonly redis: Redis,
    private readonly log: Logger,
    private readonly length = LENGTH,
  ) {
    redis.on('ready', () => this.sendKept());
  }

  /** Delivers here at once, and hands the signals to the other gateways; rejects when that could not be done. */
  async send(signals: Signal[]): Promise<void> {
    for (const signal of signals) this.listener?.deliver(signal);
    await Promise.all(signals.map(this.append));
  }

  /** For signals that nothing repeats and nobody waits for: those that Redis was away for are sent when it is back. */
  tell(signals: Signal[]): void {
    this.send(signals).catch(() => {
      this.kept = [...this.kept, ...signals].slice(-MOST_KEPT);
    });
  }

  private sendKept(): void {
    const signals = this.kept;
    this.kept = [];
    Promise.all(signals.map(this.append)).catch(() => {
      this.kept = [...signals, ...this.kept].slice(-MOST_KEPT);
    });
  }

  private async write(signals: Signal[]): Promise<undefined[]> {
    const pipeline = this.redis.pipeline();
    for (const signal of signals) {
      pipeline.xadd(STREAM, 'MAXLEN', '~', this.length, '*', 'from', this.origin, 'signal', JSON.stringify(signal));
    }
    const results = await pipeline.exec();
    const failed = results?.find(([error]) => error)?.[0];
    if (failed) throw failed;
    return signals.map(() => undefined);
  }

  /** Reads on `reader`, a connection of its own because reading blocks it. */
  listen(reader: Redis, listener: Listener): void {
    this.listener = listener;
    this.reading = this.read(reader, listener);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.reading;
  }

  private async read(reader: Redis, listener: Listener): Promise<void> {
    const began = Date.now();
    let place: Place | null = null;
    // A connection that broke may have been away for long, and a read that is full shows that the reader is behind.
    let unsure = true;
    reader.on('ready', () => {
      unsure = true;
    });
    while (!this.stopped) {
      try {
        if (unsure || !place) {
          unsure = false;
          const next: Next = onwards(place, await stateOf(reader));
          // Redis came later than this process: connections that were open by then have heard nothing.
          const late = !place && Date.now() - began > BLOCK_MS;
          place = next.place;
          if (next.missed || late) this.tellMissed(listener);
        }
        const entries = await this.entriesAfter(reader, place.last);
        // Broken and made anew while it waited: nothing of it is taken before the stream was looked at.
        if (unsure) continue;
        for (const [id, fields] of entries) {
          place = { last: id, read: place.read + 1 };
          if (fields[1] !== this.origin) listener.deliver(JSON.parse(fields[3] ?? '{}') as Signal);
        }
        unsure = entries.length === 0 || entries.length === COUNT;
      } catch (error) {
        if (this.stopped) return;
        unsure = true;
        this.log.warn({ err: error }, 'reading signals failed; trying again');
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  private async entriesAfter(reader: Redis, id: string): Promise<[id: string, fields: string[]][]> {
    const answer = await reader.xread('COUNT', COUNT, 'BLOCK', BLOCK_MS, 'STREAMS', STREAM, id);
    return answer?.[0]?.[1] ?? [];
  }

  private tellMissed({ missed }: Listener): void {
    this.log.warn('signals were missed; open connections are closed, so that their clients read again');
    missed();
  }
}

/** What the stream says of itself. */
interface Stream {
  lastId: string;
  /** The oldest entry that it still holds; '0-0' when it holds none. */
  firstId: string;
  /** Entries it was given since it began, and those that it still holds. Redis before 7.0 does not count the former. */
  added: number | null;
  length: number;
}

interface Next {
  /** Where a reader goes on. */
  place: Place;
  /** Entries passed that it did not read, and that are gone. */
  missed: boolean;
}

function onwards(place: Place | null, stream: Stream | null): Next {
  // A place of its own from the start: `$` would mean "from now on" again after every pause and every break.
  if (!place) return { place: stream ? { last: stream.lastId, read: stream.added ?? 0 } : START, missed: false };
  // Redis came back without it, or with another that has begun since.
  if (!stream || isBefore(stream.lastId, place.last)) return { place: START, missed: place.last !== START.last };
  // Without a count: the entry that was read last is gone, so that later ones may be gone as well.
  if (stream.added === null)
    return { place, missed: place.last !== START.last && isBefore(place.last, stream.firstId) };
  const gone = stream.added - stream.length;
  if (place.read < gone) return { place: { ...place, read: gone }, missed: true };
  // All is read, but not as much as there was: another stream with later ids stands in the place of the one before.
  if (stream.lastId === place.last && stream.added !== place.read) {
    return { place: { ...place, read: stream.added }, missed: true };
  }
  return { place, missed: false };
}

const START: Place = { last: '0-0', read: 0 };

/** Ids are two numbers, of milliseconds and of those within one. */
function isBefore(a: string, b: string): boolean {
  const [[aTime = 0, aNumber = 0], [bTime = 0, bNumber = 0]] = [a.split('-').map(Number), b.split('-').map(Number)];
  return aTime < bTime || (aTime === bTime && aNumber < bNumber);
}

async function stateOf(reader: Redis): Promise<Stream | null> {
  const answer = await reader.xinfo('STREAM', STREAM).catch((error: Error) => {
    // biome-ignore lint/plugin/codesNotWords: Redis answers in words alone
    if (error.message.includes('no such key')) return null;
    throw error;
  });
  if (!answer) return null;
  const flat = answer as (string | number | unknown[] | null)[];
  const field = (name: string) => (flat.includes(name) ? flat[flat.indexOf(name) + 1] : null);
  const added = field('entries-added');
  const [firstId = START.last] = (field('first-entry') as string[] | null) ?? [];
  return {
    lastId: String(field('last-generated-id')),
    firstId,
    added: added === null ? null : Number(added),
    length: Number(field('length')),
  };
}

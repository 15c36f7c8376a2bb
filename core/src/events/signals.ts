import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerEvent, ViewEvent } from '@lightbox/contract/events.js';
import { type Redis, ReplyError } from 'ioredis';
import { grouped } from '../db/group.js';
import type { Logger } from '../process/log.js';
import { type TraceText, traceHere } from '../tracing/traces.js';

/**
 * A live update for browsers. It carries ids and numbers, never content: the gateway that holds the socket reads the
 * record again, through the policy.
 */
export interface LiveUpdate {
  name: Exclude<ServerEvent, ViewEvent>;
  /** User ids, or groups such as `role:admin`. */
  to: string[];
  refs: Record<string, string | number | string[]>;
}

/** Closes the sockets of these sessions on every gateway. */
export interface Disconnect {
  sessions: string[];
  reason: string;
}

export type Signal = ({ push: LiveUpdate } | { cut: Disconnect }) & { trace?: TraceText };

export interface Listener {
  deliver: (signal: Signal) => void;
  /** Called when signals passed that this reader has not received and cannot receive any more. */
  missed: () => void;
}

const STREAM = 'lightbox:signals';
/** About a minute of a very busy service. A reader that was away for longer reports that it missed signals. */
const LENGTH = 20_000;
const COUNT = 500;
/** Milliseconds that a read waits. After an empty read the reader checks the stream itself. */
const BLOCK_MS = 1_000;
/** A reader of a stream that never pauses checks it this often, in milliseconds. */
const CHECK_MS = 1_000;
/** Reads of a busy stream are this far apart, in milliseconds: each costs the same for one entry as for many. */
const APART_MS = 5;
/** Signals that a process stores while Redis does not take them; above it the oldest are dropped. */
const MOST_KEPT = 5_000;
/** Stored signals are tried again after this time, in milliseconds. */
const AGAIN_MS = 1_000;

/**
 * The position of a reader: the last id that it read, and the number of entries that the stream had received up to it.
 */
interface Place {
  last: string;
  read: number;
}

/**
 * Sends signals from any process to every gateway, over one Redis stream. A stream rather than publish and subscribe:
 * after a disconnect a gateway continues where it stopped, and can detect that the stream no longer holds entries that
 * it did not read.
 */
export class Signals {
  private readonly origin = randomUUID();
  private listener: Listener | null = null;
  private stopped = false;
  private reading: Promise<void> | null = null;
  private kept: Signal[] = [];
  private again: NodeJS.Timeout | undefined;
  /** Signals that arrive during a write share the next one; a single one is written at once. */
  private readonly append = grouped((signals: Signal[]) => this.write(signals));

  constructor(
    private readonly redis: Redis,
    private readonly log: Logger,
    private readonly length = LENGTH,
  ) {
    redis.on('ready', () => this.sendKept());
  }

  /** Delivers here at once, and hands the signals to the other gateways; rejects when that failed. */
  async send(signals: Signal[]): Promise<void> {
    const here = traceHere();
    const traced = here ? signals.map((signal): Signal => ({ trace: here, ...signal })) : signals;
    for (const signal of traced) this.listener?.deliver(signal);
    await Promise.all(traced.map(this.append));
  }

  /** For signals that no process repeats and no caller waits for: they are sent when Redis takes them. */
  tell(signals: Signal[]): void {
    this.send(signals).catch(() => this.keep([...this.kept, ...signals]));
  }

  /** Redis may also refuse a signal while the connection stays: it is full, or the answer was lost in a quick restart. */
  private keep(signals: Signal[]): void {
    this.kept = signals.slice(-MOST_KEPT);
    if (!this.stopped) this.again ??= setTimeout(() => this.sendKept(), AGAIN_MS).unref();
  }

  private async sendKept(): Promise<void> {
    clearTimeout(this.again);
    this.again = undefined;
    // Without a connection they wait for the next one.
    if (this.redis.status !== 'ready') return;
    const signals = this.kept;
    this.kept = [];
    const ends = await Promise.allSettled(signals.map(this.append));
    const refused = signals.filter((_, i) => ends[i]?.status === 'rejected');
    if (refused.length > 0) this.keep([...refused, ...this.kept]);
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
    clearTimeout(this.again);
    await this.reading;
  }

  private async read(reader: Redis, listener: Listener): Promise<void> {
    const began = performance.now();
    let place: Place | null = null;
    let history: History | null = null;
    // The connection may have been away for long, or the last read was full, so that the reader is behind.
    let unsure = true;
    reader.on('ready', () => {
      unsure = true;
    });
    let checkedAt = 0;
    let readAt = 0;
    while (!this.stopped) {
      try {
        if (unsure || !place) {
          const [state, written] = await Promise.all([stateOf(reader), historyOf(reader)]);
          // Only now: a connection that came back before the answer is the one that gave it.
          unsure = false;
          checkedAt = performance.now();
          const next: Next = onwards(place, state);
          const tookOver = isOfReplica(history, written);
          history = written ?? history;
          // Redis came later than this process: connections that were open by then have received nothing.
          const late = !place && performance.now() - began > BLOCK_MS;
          place = next.place;
          if (next.missed || tookOver || late) this.reportMissed(listener);
        }
        const entries = await this.entriesAfter(reader, place.last);
        // The connection broke during the read: check the stream before the entries are used.
        if (unsure) continue;
        for (const [id, fields] of entries) {
          place = { last: id, read: place.read + 1 };
          if (fields[1] !== this.origin) this.deliver(fields[3], listener);
        }
        const now = performance.now();
        unsure = entries.length === 0 || entries.length === COUNT || now - checkedAt >= CHECK_MS;
        if (now - readAt < APART_MS) await sleep(APART_MS);
        readAt = now;
      } catch (error) {
        if (this.stopped) return;
        unsure = true;
        this.log.warn({ err: error }, 'reading signals failed; retrying');
        await sleep(500);
      }
    }
  }

  /** A signal of a kind that only a newer version knows is for its gateways. */
  private deliver(text = '{}', listener: Listener): void {
    const signal = JSON.parse(text) as Signal;
    if ('push' in signal || 'cut' in signal) listener.deliver(signal);
  }

  private async entriesAfter(reader: Redis, id: string): Promise<[id: string, fields: string[]][]> {
    const answer = await reader.xread('COUNT', COUNT, 'BLOCK', BLOCK_MS, 'STREAMS', STREAM, id);
    return answer?.[0]?.[1] ?? [];
  }

  private reportMissed({ missed }: Listener): void {
    this.log.warn('signals were missed; closing open connections, so that their clients read again');
    missed();
  }
}

/** The state of the stream, as XINFO reports it. */
interface Stream {
  lastId: string;
  /** Id of the oldest entry in the stream; '0-0' when it is empty. */
  firstId: string;
  /**
   * Entries that were ever added, and entries that the stream still holds. Redis before 7.0 does not count the former.
   */
  added: number | null;
  length: number;
}

interface Next {
  /** The position from which the reader continues. */
  place: Place;
  /** True when entries are gone that the reader did not read. */
  missed: boolean;
}

function onwards(place: Place | null, stream: Stream | null): Next {
  // An explicit position from the start: `$` would mean "from now on" again after every pause and every disconnect.
  if (!place) return { place: stream ? { last: stream.lastId, read: stream.added ?? 0 } : START, missed: false };
  // Redis came back without the stream, or with a new one.
  if (!stream) return { place: START, missed: place.last !== START.last };
  if (isBefore(stream.lastId, place.last)) return { place: beginningOf(stream), missed: true };
  // Without a count: the entry that was read last is gone, so later ones may be gone too.
  if (stream.added === null)
    return { place, missed: place.last !== START.last && isBefore(place.last, stream.firstId) };
  const { read: gone } = beginningOf(stream);
  if (place.read < gone) return { place: { ...place, read: gone }, missed: true };
  // Everything is read, but not as many entries as were added: a new stream with later ids has replaced the old one.
  if (stream.lastId === place.last && stream.added !== place.read) {
    return { place: { ...place, read: stream.added }, missed: true };
  }
  // The same, but the new stream goes on. The reader counts anew from its beginning, and delivers a few entries again.
  if (stream.added < place.read) return { place: beginningOf(stream), missed: true };
  return { place, missed: false };
}

const START: Place = { last: '0-0', read: 0 };

/** The position before the oldest entry that the stream holds. */
const beginningOf = ({ added, length }: Stream): Place => ({ ...START, read: added === null ? 0 : added - length });

/** Compares two ids. An id is two numbers: milliseconds, and a number within one millisecond. */
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

/** The origin of a server's data. Its id is new after each start, and when a replica takes over. */
interface History {
  id: string;
  /** Id of the server that a replica followed before it took over; zeros otherwise. */
  followed: string;
}

/**
 * True when a replica has taken over since `before`. Signals that it had not got are lost, and it may have received as many
 * others since then. A server that starts again on its own data has lost none.
 */
const isOfReplica = (before: History | null, now: History | null): boolean =>
  before !== null && now !== null && now.id !== before.id && !/^0*$/.test(now.followed);

/** Returns null where the account of this connection may not use INFO. */
async function historyOf(reader: Redis): Promise<History | null> {
  const answer = await reader.info('replication').catch((error: unknown) => {
    if (error instanceof ReplyError) return '';
    throw error;
  });
  const field = (name: string) => new RegExp(`^${name}:(\\w+)`, 'm').exec(answer)?.[1] ?? '';
  const id = field('master_replid');
  return id ? { id, followed: field('master_replid2') } : null;
}

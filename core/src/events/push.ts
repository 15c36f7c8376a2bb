import { randomUUID } from 'node:crypto';
import type { ServerEvent } from '@lightbox/contract/events.js';
import type { Redis } from 'ioredis';
import { grouped } from '../group.js';
import type { Logger } from '../log.js';

/**
 * Something to show in browsers now. It carries ids and numbers, never content: the gateway that holds the socket reads
 * the record again, through the policy.
 */
export interface Push {
  name: ServerEvent;
  /** User ids, or `role:admin` and its like. */
  to: string[];
  refs: Record<string, string | number | string[]>;
}

/** Ends sockets everywhere. */
export interface Cut {
  sessions: string[];
  reason: string;
}

export type Signal = { push: Push } | { cut: Cut };

const STREAM = 'lightbox:signals';
/** Roughly a minute of a very busy service; who was away longer reads the state again. */
const LENGTH = 20_000;
const BLOCK_MS = 5_000;

/**
 * From any process to every gateway, over one Redis stream. A stream rather than publish and subscribe: a gateway whose
 * connection broke goes on reading where it stopped.
 */
export class Signals {
  private readonly origin = randomUUID();
  private listener: ((signal: Signal) => void) | null = null;
  private stopped = false;
  private reading: Promise<void> | null = null;
  /** What comes while a write is under way shares the next one; alone it goes at once. */
  private readonly append = grouped((signals: Signal[]) => this.write(signals));

  constructor(
    private readonly redis: Redis,
    private readonly log: Logger,
  ) {}

  /** Delivers here at once, and hands the signals to the other gateways; rejects when that could not be done. */
  async send(signals: Signal[]): Promise<void> {
    for (const signal of signals) this.listener?.(signal);
    await Promise.all(signals.map(this.append));
  }

  private async write(signals: Signal[]): Promise<undefined[]> {
    const pipeline = this.redis.pipeline();
    for (const signal of signals) {
      pipeline.xadd(STREAM, 'MAXLEN', '~', LENGTH, '*', 'from', this.origin, 'signal', JSON.stringify(signal));
    }
    const results = await pipeline.exec();
    const failed = results?.find(([error]) => error)?.[0];
    if (failed) throw failed;
    return signals.map(() => undefined);
  }

  /** Reads on `reader`, a connection of its own because reading blocks it. */
  listen(reader: Redis, listener: (signal: Signal) => void): void {
    this.listener = listener;
    this.reading = this.read(reader, listener);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.reading;
  }

  private async read(reader: Redis, listener: (signal: Signal) => void): Promise<void> {
    let last: string | null = null;
    while (!this.stopped) {
      try {
        // A place of its own from the start: `$` would mean "from now on" again after every pause and every break.
        const from: string = last ?? (await newest(reader));
        last = from;
        const answer = await reader.xread('COUNT', 500, 'BLOCK', BLOCK_MS, 'STREAMS', STREAM, from);
        for (const [id, fields] of answer?.[0]?.[1] ?? []) {
          last = id;
          if (fields[1] !== this.origin) listener(JSON.parse(fields[3] ?? '{}') as Signal);
        }
      } catch (error) {
        if (this.stopped) return;
        this.log.warn({ err: error }, 'reading signals failed; trying again');
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }
}

const newest = async (reader: Redis): Promise<string> =>
  (await reader.xrevrange(STREAM, '+', '-', 'COUNT', 1))[0]?.[0] ?? '0-0';

import { limits } from '@lightbox/contract/limits.js';
import { ApiError } from '../lib/http';
import { askBeforeLeaving } from '../lib/leaving';
import { hashOf } from '../uploads/reader';
import { isAway, isFull, isServerError, mostTries, reasonOf } from '../uploads/sending';
import type { Source } from '../uploads/sources';
import { finish, hasArrived, open, sendPieces } from './sender';

export interface Parcel {
  source: Source;
  caption: string;
}

export interface Progress {
  /** `waiting`, `busy`: it goes on by itself. `refused`: the sender decides about the rest. `over`: the link takes nothing. */
  state: 'sending' | 'waiting' | 'busy' | 'refused' | 'full' | 'failed' | 'over' | 'done';
  /** Files that have arrived. */
  done: number;
  /** The share of all bytes that was sent, 0…1. */
  share: number;
  refused: { name: string; error: ApiError }[];
  error?: unknown;
}

/** True while the delivery goes on by itself. */
export const isRunning = ({ state }: Progress) => state === 'sending' || state === 'waiting' || state === 'busy';

const longestWaitMs = 30_000;

/** Waits, but not longer than until the connection is back. */
const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });

/**
 * Sends the files of one request, a few at a time, and then hands them over. After a lost connection it goes on where it
 * was; after a new start of the page it leaves out the files that have arrived.
 */
export class Delivery {
  private readonly stop = new AbortController();
  private readonly sent = new Map<Parcel, number>();
  private progress: Progress = { state: 'sending', done: 0, share: 0, refused: [] };
  private readonly total: number;

  constructor(
    private readonly address: string,
    private token: string,
    private readonly parcels: readonly Parcel[],
    private readonly onChange: (progress: Progress) => void,
  ) {
    this.total = parcels.reduce((sum, { source }) => sum + source.size, 0);
  }

  cancel() {
    this.stop.abort(new DOMException('Cancelled', 'AbortError'));
  }

  async run(): Promise<void> {
    const stopAsking = askBeforeLeaving(() => !this.stop.signal.aborted && isRunning(this.progress));
    const rest = [...this.parcels];
    const work = async () => {
      for (let next = rest.shift(); next; next = rest.shift()) await this.deliver(next);
    };
    try {
      await Promise.all(Array.from({ length: limits.sentAtOnce }, work));
      if (this.progress.refused.length > 0) return this.say({ state: 'refused' });
      await this.handOver();
    } catch (error) {
      if (this.stop.signal.aborted) return;
      // The other files end after this was said: from then on the delivery says nothing.
      this.say({ state: error === over ? 'over' : isFull(error) ? 'full' : 'failed', error });
      this.cancel();
    } finally {
      stopAsking();
    }
  }

  /** Ends the request: the files that have arrived are handed over. */
  async handOver(): Promise<void> {
    try {
      await this.persist(async () => {
        await finish(this.token).catch((error) => {
          // The answer to an earlier try was lost, or another tab was faster: the state of the request tells.
          if (error instanceof ApiError && error.code === 'CONFLICT') throw over;
          throw error;
        });
      });
      this.say({ state: 'done', share: 1 });
    } catch (error) {
      this.say({ state: error === over ? 'over' : 'failed', error });
    }
  }

  private async deliver(parcel: Parcel): Promise<void> {
    const { source, caption } = parcel;
    let url: string | undefined;
    try {
      const file = await source.open();
      const hash = await hashOf(file).catch(() => '');
      const { signal } = this.stop;
      await this.persist(async () => {
        if (hash && !url && (await hasArrived(this.token, hash, signal))) return;
        await sendPieces({
          file,
          caption,
          token: this.token,
          url,
          onBegun: (begun) => {
            url = begun;
          },
          onProgress: (bytes) => this.count(parcel, bytes),
          signal,
        }).catch(async (error) => {
          throw await reasonOf(error, file);
        });
      });
      this.count(parcel, source.size);
      this.say({ done: this.progress.done + 1 });
    } catch (error) {
      // A refusal of this file says nothing about the others.
      if (!(error instanceof ApiError) || isFull(error)) throw error;
      this.count(parcel, source.size);
      this.say({ refused: [...this.progress.refused, { name: source.name, error }] });
    }
  }

  /** Repeats the work while the connection is lost, the server is busy or the token has expired. */
  private async persist(work: () => Promise<void>): Promise<void> {
    const { signal } = this.stop;
    let expired = false;
    for (let misses = 0, failures = 0; ; ) {
      signal.throwIfAborted();
      try {
        if (expired) await this.renew();
        expired = false;
        await work();
        if (this.progress.state !== 'sending') this.say({ state: 'sending' });
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ApiError)) throw error;
        if (error.status === 401 && !expired) {
          expired = true;
        } else if (error.status === 429) {
          this.say({ state: 'busy' });
          await wait((error.retryAfter ?? 60) * 1000, signal);
        } else if (isAway(error)) {
          misses += 1;
          this.say({ state: 'waiting' });
          await wait(Math.min(2 ** misses * 500, longestWaitMs), signal);
        } else if (isServerError(error) && failures < mostTries - 1) {
          failures += 1;
          this.say({ state: 'busy' });
          await wait(2 ** failures * 500, signal);
        } else throw error;
      }
    }
  }

  private async renew(): Promise<void> {
    const { token } = await open(this.address, this.stop.signal);
    if (!token) throw over;
    this.token = token;
  }

  private count(parcel: Parcel, bytes: number) {
    this.sent.set(parcel, bytes);
    const sum = [...this.sent.values()].reduce((all, one) => all + one, 0);
    this.say({ share: this.total > 0 ? Math.min(1, sum / this.total) : 0 });
  }

  private say(change: Partial<Progress>) {
    this.progress = { ...this.progress, ...change };
    if (!this.stop.signal.aborted) this.onChange(this.progress);
  }
}

/** Thrown when the request takes no files any more. */
const over = new Error('The request takes no files any more.');

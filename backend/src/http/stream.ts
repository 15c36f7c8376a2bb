import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallShape } from '@lightbox/contract/call.js';
import { type Permission, permissions } from '@lightbox/contract/permissions.js';
import { authorize } from '../auth/authorize.js';
import { currentViewer } from '../auth/sessions.js';
import type { Context, Viewer } from '../context.js';

/** How long an answer of a policy is good for while bytes go out. */
const ASK_AGAIN_MS = 1_000;

export interface Streamed {
  headers: Record<string, string>;
  chunks: AsyncGenerator<Buffer | string>;
  /** Writes who reads this into the log; before the first byte leaves. */
  record: () => Promise<void>;
  /** Throws when this viewer may no longer have it. Session, account and role are asked in any case. */
  may?: (viewer: Viewer) => Promise<unknown>;
}

type Streaming = Pick<Context<CallShape>, 'gateway' | 'call' | 'res'> & { viewer: Viewer };

/**
 * The one way to answer with more than a few bytes. It ends when the right to it ends: session, account, role and policy
 * are asked again every second, also while the reader pauses, and no chunk goes out on an older answer. The connection
 * breaks off then, so that the reader sees that it is not all. No more than a few chunks are in memory at once.
 */
export async function stream(context: Streaming, { headers, chunks, record, may }: Streamed): Promise<void> {
  const { res } = context;
  const watch = new Watch(() => askAgain(context, may));
  try {
    // The first is there before anything is answered: what cannot be read is an error, and not an empty file.
    const first = await chunks.next();
    await record();
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    await pipeline(Readable.from(watch.guarded(first, chunks)), res, { signal: watch.refused });
  } catch (error) {
    // The refusal itself, where there is one, and not that the pipeline was broken off.
    if (watch.refused.aborted) throw watch.refused.reason;
    // The reader went away: there is nobody to answer.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    watch.stop();
    chunks.return(undefined).catch(() => undefined);
  }
}

async function askAgain({ gateway, call, viewer }: Streaming, may: Streamed['may']): Promise<void> {
  const now = await currentViewer(gateway, viewer);
  if (Object.hasOwn(permissions, call.who)) await authorize(gateway, now, call.who as Permission);
  await may?.(now);
}

/** Asks as long as the stream is open, whether or not anything is read. */
class Watch {
  private readonly refusing = new AbortController();
  private readonly stopping = new AbortController();
  private askedAt = performance.now();
  private asking: Promise<void> | null = null;

  constructor(private readonly ask: () => Promise<void>) {
    this.watch().catch(() => undefined);
  }

  get refused(): AbortSignal {
    return this.refusing.signal;
  }

  async *guarded(first: IteratorResult<Buffer | string>, rest: AsyncGenerator<Buffer | string>) {
    for (let chunk = first; !chunk.done; chunk = await rest.next()) {
      // A process that stood still has not asked meanwhile.
      if (performance.now() - this.askedAt > ASK_AGAIN_MS) await this.askOnce();
      yield chunk.value;
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await sleep(ASK_AGAIN_MS, undefined, { signal, ref: false });
      await this.askOnce();
    }
  }

  private askOnce(): Promise<void> {
    const at = performance.now();
    this.asking ??= this.ask()
      .then(
        () => {
          this.askedAt = at;
        },
        (error) => {
          this.refusing.abort(error);
          throw error;
        },
      )
      .finally(() => {
        this.asking = null;
      });
    return this.asking;
  }
}

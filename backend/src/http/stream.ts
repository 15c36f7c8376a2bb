import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallShape } from '@lightbox/contract/call.js';
import { type Permission, permissions } from '@lightbox/contract/permissions.js';
import { authorize } from '../auth/authorize.js';
import { currentViewer } from '../auth/sessions.js';
import type { Context, Reader } from '../context.js';
import { isKnown } from './etag.js';

/** Interval at which the right to read is checked again while bytes go out. */
const CHECK_MS = 1_000;

export interface Streamed {
  /** 200 by default. */
  status?: number;
  headers: Record<string, string>;
  /** With it, a client that has the bytes gets 304. The right is checked and the read is recorded all the same. */
  etag?: string;
  /** A buffer is the whole body. It must be small enough for the buffers of the system. */
  chunks: AsyncGenerator<Buffer | string> | Buffer;
  /** Records the read in the audit log, before the first byte is sent. */
  record: () => Promise<void>;
  /** Throws when this viewer may no longer read it. Session, account and role are checked in any case. */
  may?: (viewer: Reader) => Promise<unknown>;
}

export type Streaming = Pick<Context<CallShape>, 'gateway' | 'call' | 'req' | 'res'> & { viewer: Reader };

/**
 * Streams a response. This is the only way to answer with more than a few bytes. The stream ends when the right to it
 * ends: session, account, role and policy are checked every second, also while the reader pauses, and no chunk goes out
 * on an older check. The connection is then broken, so that the reader sees that bytes are missing. Only a few chunks
 * are in memory at once.
 */
export async function stream(context: Streaming, streamed: Streamed): Promise<void> {
  const { status, etag, headers, chunks, record, may = always } = streamed;
  const { req, res } = context;
  const known = etag !== undefined && isKnown(req.get('if-none-match'), etag);
  const all = etag === undefined ? headers : { ...headers, ETag: etag };
  if (!known && !Buffer.isBuffer(chunks)) return streamAll(context, { ...streamed, headers: all, chunks });
  const began = performance.now();
  if (!Buffer.isBuffer(chunks)) await chunks.return(undefined);
  await record();
  if (performance.now() - began > CHECK_MS) await checkAgain(context, may);
  for (const [name, value] of Object.entries(all)) if (!known || !aboutBody.test(name)) res.setHeader(name, value);
  res.status(known ? 304 : (status ?? 200));
  if (known) res.end();
  else res.end(chunks);
}

const always = async () => undefined;

/** The headers that describe a body; 304 has none. */
const aboutBody = /^Content-(Type|Length|Disposition)$/;

async function streamAll(
  context: Streaming,
  { status, headers, chunks, record, may = always }: Streamed & { chunks: AsyncGenerator<Buffer | string> },
): Promise<void> {
  const { res } = context;
  const watch = new Watch(() => checkAgain(context, may));
  try {
    // Read the first chunk before the headers are sent: a read error is then an error response, not an empty file.
    const first = await chunks.next();
    await record();
    if (status) res.status(status);
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    await pipeline(Readable.from(watch.guarded(first, chunks)), res, { signal: watch.refused });
  } catch (error) {
    // After a refusal throw its reason, not the pipeline's abort error.
    if (watch.refused.aborted) throw watch.refused.reason;
    // The client closed the connection: there is no response to send.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    watch.stop();
    chunks.return(undefined).catch(() => undefined);
  }
}

/** Checks session, account, role and `may` again: while bytes go out, and after a call has waited for a worker. */
export async function checkAgain<T>(
  { gateway, call, viewer }: Pick<Streaming, 'gateway' | 'call' | 'viewer'>,
  may: (viewer: Reader) => Promise<T>,
): Promise<T> {
  const now = await currentViewer(gateway, viewer);
  if (now.role !== 'guest' && Object.hasOwn(permissions, call.who))
    await authorize(gateway, now, call.who as Permission);
  return may(now);
}

/** Checks the right to read every second while the stream is open, also when the client reads nothing. */
class Watch {
  private readonly refusing = new AbortController();
  private readonly stopping = new AbortController();
  private checkedAt = performance.now();
  private checking: Promise<void> | null = null;

  constructor(private readonly check: () => Promise<unknown>) {
    this.watch().catch(() => undefined);
  }

  get refused(): AbortSignal {
    return this.refusing.signal;
  }

  async *guarded(first: IteratorResult<Buffer | string>, rest: AsyncGenerator<Buffer | string>) {
    for (let chunk = first; !chunk.done; chunk = await rest.next()) {
      // A process that was suspended has not checked in the meantime.
      if (performance.now() - this.checkedAt > CHECK_MS) await this.checkOnce();
      yield chunk.value;
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await sleep(CHECK_MS, undefined, { signal, ref: false });
      await this.checkOnce();
    }
  }

  private checkOnce(): Promise<void> {
    const at = performance.now();
    this.checking ??= this.check()
      .then(
        () => {
          this.checkedAt = at;
        },
        (error) => {
          this.refusing.abort(error);
          throw error;
        },
      )
      .finally(() => {
        this.checking = null;
      });
    return this.checking;
  }
}

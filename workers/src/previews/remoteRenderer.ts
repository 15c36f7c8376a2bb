import { once } from 'node:events';
import { createConnection } from 'node:net';
import { readFrames, writeFrame } from './frames.js';
import { AnswerHeader, answerLimits, resultOf } from './protocol.js';
import { RenderCrashed, type Renderer, RendererAway, RendererDied } from './renderer.js';

/**
 * Timeout for a service that hangs. A working service answers, or sends the next part, within its own,
 * shorter time limits.
 */
const TIMEOUT_MS = 480_000;

/** Asks the renderer service on a Unix socket (`service.ts`), with one connection for each file. */
export class RemoteRenderer implements Renderer {
  private readonly stopping = new AbortController();

  constructor(private readonly path: string) {}

  run: Renderer['run'] = async (name, bytes, contentType, { onBegin, onPart, ...given } = {}) => {
    const socket = createConnection(this.path);
    // Reading and writing report the same errors to this call.
    socket.on('error', () => undefined);
    /** The error of `onPart`, which is not the renderer's. */
    let failed: unknown;
    /** The service decodes the file, and has not said that it stops. */
    let isDecoding = false;
    const abort = () => socket.destroy(new RendererAway());
    const timer = setTimeout(abort, TIMEOUT_MS);
    this.stopping.signal.addEventListener('abort', abort, { once: true });
    try {
      await once(socket, 'connect').catch(() => {
        throw new RendererAway();
      });
      await writeFrame(socket, { name, contentType, ...given, tells: true }, bytes);
      for await (const frame of readFrames(socket, answerLimits)) {
        timer.refresh();
        const header = AnswerHeader.parse(frame.header);
        if ('crashed' in header) throw new RenderCrashed(header.crashed);
        if ('stopping' in header) {
          isDecoding = false;
          break;
        }
        if ('begun' in header && !isDecoding) {
          isDecoding = true;
          onBegin?.();
          continue;
        }
        if (!('part' in header)) return resultOf(name, header, frame.body);
        await onPart?.(frame.body).catch((error) => {
          failed = error;
          throw error;
        });
      }
      throw new RendererAway();
    } catch (error) {
      if (error === failed || error instanceof RenderCrashed) throw error;
      throw isDecoding && !this.stopping.signal.aborted ? new RendererDied() : new RendererAway();
    } finally {
      clearTimeout(timer);
      this.stopping.signal.removeEventListener('abort', abort);
      socket.destroy();
    }
  };

  async close(): Promise<void> {
    this.stopping.abort();
  }
}

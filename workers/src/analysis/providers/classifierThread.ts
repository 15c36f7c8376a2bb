import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { compiled } from '@lightbox/core/process/compiled.js';
import type { ThreadAnswer, ThreadData } from './onnxThread.js';

const TIMEOUT_MS = 120_000;

/** Runs pictures through a classifier, one after the other. A thread that hangs or dies is replaced by the next call. */
export class ClassifierThread {
  private thread: Worker | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly data: ThreadData) {}

  run(pixels: Uint8Array, signal: AbortSignal): Promise<ThreadAnswer> {
    const answer = this.last.then(() => this.ask(pixels, signal));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private async ask(pixels: Uint8Array, signal: AbortSignal): Promise<ThreadAnswer> {
    signal.throwIfAborted();
    this.thread ??= new Worker(compiled('onnxThread.js', import.meta.url), { workerData: this.data });
    const { thread } = this;
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(new Error('The classifier took too long.')), TIMEOUT_MS);
    // A thread without a picture must not prevent the process from ending.
    thread.ref();
    try {
      thread.postMessage(pixels);
      const [answer] = await Promise.race([
        once(thread, 'message', { signal: AbortSignal.any([signal, over.signal]) }),
        once(thread, 'exit', { signal: over.signal }).then(() => {
          throw new Error('The thread of the classifier ended.');
        }),
      ]);
      thread.unref();
      return answer as ThreadAnswer;
    } catch (error) {
      this.thread = undefined;
      await thread.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }
}

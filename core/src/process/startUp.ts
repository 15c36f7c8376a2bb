import { setTimeout } from 'node:timers/promises';
import { isAway } from '../db/away.js';

const PAUSE_MS = 500;

/**
 * Brings a process from running to serving. It waits without limit for a dependency that is away; any other fault ends
 * it.
 */
export class StartUp {
  /** True when every needed dependency is there. */
  done = false;
  private readonly stopping = new AbortController();

  constructor(private readonly warn: (error: unknown, text: string) => void) {}

  /**
   * Repeats `prepare` until it succeeds. Rejects on a fault that waiting cannot cure, or when the process is stopped
   * before.
   */
  async run(prepare: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      try {
        await prepare();
        signal.throwIfAborted();
        this.done = true;
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!isAway(error)) throw error;
        this.warn(error, 'MongoDB is not there yet; waiting for it');
      }
      await setTimeout(PAUSE_MS, undefined, { signal });
    }
  }

  stop(): void {
    this.stopping.abort(new Error('Stopped before it could serve.'));
  }
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Chunks after which their leftovers are collected. */
const CHUNKS = 2;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
setFlagsFromString('--no-expose-gc');

/**
 * Frees what chunks leave behind: the parts of the request, the pieces of the cipher, and two copies of the driver, together
 * four times their bytes. By itself V8 lets 32 MiB of such buffers lie. This collection visits young objects only, and takes
 * less than a millisecond. A buffer that two of them find in use counts as old, and is then kept for long: so a collection
 * waits for the chunks that were being sent during the one before.
 */
class Leftovers {
  private chunks = 0;
  /** Chunks that are being sent, and were so at the last collection; and those begun since then. */
  private older = 0;
  private newer = 0;
  private collections = 0;

  add(): void {
    this.chunks++;
    this.collect();
  }

  /** Call it when a chunk is sent, and the result when that has ended. */
  sending(): () => void {
    const begun = this.collections;
    this.newer++;
    return () => {
      if (begun === this.collections) this.newer--;
      else this.older--;
      this.collect();
    };
  }

  private collect(): void {
    if (this.chunks < CHUNKS || this.older > 0) return;
    this.chunks = 0;
    this.older = this.newer;
    this.newer = 0;
    this.collections++;
    collect({ type: 'minor' });
  }
}

export const leftovers = new Leftovers();

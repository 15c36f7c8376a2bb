import { cache, imageLoader } from '@cornerstonejs/core';

/** Frames that are asked for at the same time. The frame that a person waits for is asked for besides. */
const AT_ONCE = 4;
/** The share of the cache that a stack may fill: the rest is for the other pane and for frames that are drawn. */
const SHARE = 0.8;

/** Loads the frames around a position, the nearest first, as far as the cache holds them. */
export class Prefetch {
  #order: string[] = [];
  #running = 0;
  #stopped = false;
  #bytes = 0;

  around(stack: readonly string[], at: number): void {
    if (this.#stopped) return;
    const size = cache.getImage(stack[at] ?? '')?.sizeInBytes ?? 0;
    if (size > 0) this.#bytes = size;
    const room = this.#bytes > 0 ? Math.floor((cache.getMaxCacheSize() * SHARE) / this.#bytes) : 8;
    this.#order = stack
      .map((frameId, i) => ({ frameId, far: i >= at ? i - at : (at - i) * 1.5 }))
      .sort((a, b) => a.far - b.far)
      .slice(0, Math.max(4, room))
      .map(({ frameId }) => frameId)
      .filter((frameId) => !cache.isLoaded(frameId));
    this.#next();
  }

  #next(): void {
    while (!this.#stopped && this.#running < AT_ONCE) {
      const frameId = this.#order.shift();
      if (frameId === undefined) return;
      if (cache.getImageLoadObject(frameId)) continue;
      this.#running++;
      // A frame that fails here is asked for again when a person goes to it.
      void imageLoader
        .loadAndCacheImage(frameId)
        .catch(() => undefined)
        .finally(() => {
          this.#running--;
          this.#next();
        });
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#order = [];
  }
}

// Loaded before a program whose memory is measured: answers `memory` with its resident size, and the bytes in use, after two collections.
import { setTimeout as sleep } from 'node:timers/promises';

process.on('message', async (word) => {
  if (word !== 'memory') return;
  for (let i = 0; i < 2; i++) {
    globalThis.gc?.();
    await sleep(500);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, held: heapUsed + external });
});

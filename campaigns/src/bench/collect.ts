// Loaded before a program whose memory is measured: answers `memory` with its resident size, the same without V8's space for
// young objects, which grows to 32 MiB with what a process did last and shrinks again, and the bytes in use, after two collections.
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';

const young = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.physical_space_size ?? 0;

process.on('message', async (word) => {
  if (word !== 'memory') return;
  for (let i = 0; i < 2; i++) {
    globalThis.gc?.();
    await sleep(500);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, old: rss - young(), held: heapUsed + external });
});

// Runs the tabs in a separate process, so that their work does not change the times of the measurements. See `storm.ts`.
import { Crowd, type Tab } from './crowd.js';

export type CrowdOrder =
  | { name: 'gather'; tabs: Tab[] }
  | { name: 'watch' }
  | { name: 'returned'; expected: number; timeoutMs: number };

let crowd = new Crowd([]);

async function obey(order: CrowdOrder): Promise<unknown> {
  if (order.name === 'watch') return crowd.watch();
  if (order.name === 'returned') return crowd.returned(order.expected, order.timeoutMs);
  crowd = new Crowd(order.tabs);
  return crowd.gather();
}

// The parent sends one order at a time. The answer follows when the order is done.
process.on('message', (order: CrowdOrder) => obey(order).then((done) => process.send?.({ done: done ?? null })));
process.once('disconnect', () => process.exit(0));
process.send?.({ ready: true });

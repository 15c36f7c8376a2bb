// A crowd in a process of its own, so that its work is not in the times that others measure. See `storm.ts`.
import { Crowd, type Tab } from './crowd.js';

export type CrowdOrder =
  | { name: 'gather'; tabs: Tab[] }
  | { name: 'watch' }
  | { name: 'returned'; expected: number; patienceMs: number };

let crowd = new Crowd([]);

async function obey(order: CrowdOrder): Promise<unknown> {
  if (order.name === 'watch') return crowd.watch();
  if (order.name === 'returned') return crowd.returned(order.expected, order.patienceMs);
  crowd = new Crowd(order.tabs);
  return crowd.gather();
}

// One order at a time; each is answered when it is done.
process.on('message', (order: CrowdOrder) => obey(order).then((done) => process.send?.({ done: done ?? null })));
process.once('disconnect', () => process.exit(0));
process.send?.({ ready: true });

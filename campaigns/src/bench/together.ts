import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from './chat.js';
import type { Person } from './people.js';
import { judged, plain, type Row } from './report.js';
import type { Site } from './site.js';
import { percentile } from './stats.js';

const POINTERS = 100;
/** As often as a browser sends. */
const GAP_MS = 40;

/** Returns the time from moving a pointer at one gateway to its arrival at the other. */
export async function benchPointers(site: Site, person: Person, imageId: string): Promise<Row[]> {
  const [here, there] = await Promise.all(site.gateways.map((gateway) => connect(gateway, person)));
  if (!here || !there) throw new Error('Two gateways are needed.');
  for (const socket of [here, there]) await socket.timeout(10_000).emitWithAck('view:join', { imageId });
  const sent = new Map<number, number>();
  const times: number[] = [];
  there.on('view:pointer', ({ x }: { x: number }) => times.push(performance.now() - (sent.get(x) ?? Number.NaN)));
  for (let x = 1; x <= POINTERS; x++) {
    sent.set(x, performance.now());
    here.emit('view:pointer', { imageId, frame: 1, x, y: 0 });
    await sleep(GAP_MS);
  }
  const deadline = Date.now() + 5_000;
  while (times.length < POINTERS && Date.now() < deadline) await sleep(20);
  for (const socket of [here, there]) socket.disconnect();
  const job = 'pointer, looking together';
  const middle = percentile(times, 0.5);
  const all = [0.5, 0.95, 0.99].map((p) => percentile(times, p).toFixed(1)).join(' / ');
  return [
    plain(job, 'two gateways, p50 / p95 / p99 ms', all),
    judged(job, 'two gateways, median ms', middle, '< 100', middle < 100),
    judged(job, `lost of ${POINTERS}`, POINTERS - times.length, '0', times.length === POINTERS),
  ];
}

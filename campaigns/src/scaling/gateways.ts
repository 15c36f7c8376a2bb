import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, connect as dial } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'socket.io-client';
import { bySocket, connect, watchArrivals } from '../bench/chat.js';
import { type Person, storePeople } from '../bench/people.js';
import { judged, plain, type Row } from '../bench/report.js';
import type { Site } from '../bench/site.js';
import { percentile } from '../bench/stats.js';

const PEOPLE = { before: 200, after: 200 };
const EVERY_MS = 400;
const PHASE_MS = 15_000;
const LATE_MS = 20_000;

/** A balancer that gives each new connection to the gateway with the fewest, as an ingress with `least_conn` does. */
async function startBalancer(origins: string[]) {
  const open = new Map(origins.map((origin) => [origin, 0]));
  const server = createServer((client) => {
    const [origin] = [...open].sort(([, a], [, b]) => a - b)[0] ?? [];
    if (!origin) return client.destroy();
    open.set(origin, (open.get(origin) ?? 0) + 1);
    const { hostname, port } = new URL(origin);
    const gateway = dial(Number(port), hostname);
    client.pipe(gateway).pipe(client);
    const end = () => {
      client.destroy();
      gateway.destroy();
    };
    for (const side of [client, gateway]) side.on('error', end);
    client.once('close', () => {
      gateway.destroy();
      open.set(origin, (open.get(origin) ?? 1) - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (origin: string) => open.set(origin, 0),
    open: (origin: string) => open.get(origin) ?? 0,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** People in pairs write to each other all the time. A gateway is added, and more people come. */
export async function scaleGateways(site: Site): Promise<Row[]> {
  const job = 'a gateway added under load';
  const balancer = await startBalancer(site.gateways.map(({ origin }) => origin));
  const server = { api: `${balancer.origin}/api`, origin: balancer.origin };
  const sent = new Map<string, number>();
  const arrivals = new Map<string, number>();
  const sockets: Socket[] = [];
  const writing = { goes: true };
  const writers: Promise<void>[] = [];
  let refused = 0;
  const come = async (count: number, called: string) => {
    const from = await storePeople(site, 'healthProvider', count / 2, `${called}writer`);
    const to = await storePeople(site, 'patient', count / 2, `${called}reader`);
    for (const [i, writer] of from.entries()) {
      const reader = to[i] as Person;
      const [ours, theirs] = [await connect(server, writer), await connect(server, reader)];
      sockets.push(ours, theirs);
      watchArrivals(theirs, reader, arrivals);
      const send = bySocket(ours);
      writers.push(
        (async () => {
          while (writing.goes) {
            const clientId = randomUUID();
            sent.set(clientId, performance.now());
            await send({ recipientId: reader.id, content: 'A message under load', clientId }).catch(() => refused++);
            await sleep(EVERY_MS);
          }
        })(),
      );
    }
  };
  try {
    await come(PEOPLE.before, 'early');
    await sleep(PHASE_MS);
    const added = await site.startGateway();
    balancer.add(added.origin);
    await come(PEOPLE.after, 'late');
    await sleep(PHASE_MS);
    const share = (3 * balancer.open(added.origin)) / sockets.length;
    writing.goes = false;
    await Promise.all(writers);
    const missing = () => [...sent.keys()].filter((id) => !arrivals.has(id)).length;
    for (const end = performance.now() + LATE_MS; missing() > 0 && performance.now() < end; ) await sleep(50);
    const times = [...arrivals].map(([id, at]) => at - (sent.get(id) ?? at));
    const dropped = sockets.filter(({ connected }) => !connected).length;
    return [
      plain(job, 'people', String(sockets.length)),
      plain(job, 'messages', String(sent.size)),
      plain(
        job,
        'planned moment to socket, p50 / p99 ms',
        [0.5, 0.99].map((p) => percentile(times, p).toFixed(0)).join(' / '),
      ),
      judged(job, 'connections of the new gateway, of a third of all', share, '>= 0.8', share >= 0.8),
      judged(job, 'messages lost', missing(), '0', missing() === 0),
      judged(job, 'messages refused', refused, '0', refused === 0),
      judged(job, 'connections that ended', dropped, '0', dropped === 0),
    ];
  } finally {
    writing.goes = false;
    for (const socket of sockets) socket.close();
    await balancer.stop();
  }
}

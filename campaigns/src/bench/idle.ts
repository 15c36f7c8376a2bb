import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'socket.io-client';
import { type ChatServer, connect } from './chat.js';
import { type Person, storePeople } from './people.js';
import { collectedMemory, type Memory, type Program } from './processes.js';
import { judged, plain, type Row } from './report.js';
import type { Site } from './site.js';
import { inParallel } from './stats.js';

const COUNT = 2_000;
/** They are gone before the measurement begins: the first connections load code. */
const WARM = 100;
const CONNECTING = 20;
const GOAL = 1.3;

/** Compares the memory of an idle signed-in connection with that of bare Socket.IO, each in a fresh process. */
export async function benchIdle(site: Site): Promise<Row[]> {
  const people = await storePeople(site, 'patient', COUNT, 'idle');
  const gateway = await site.startGateway();
  const product = await perConnection(gateway, gateway, people);
  await gateway.stop();
  const target = await site.startBare();
  const bare = await perConnection(
    target,
    target,
    people.map(({ id }) => ({ id, token: id })),
  );
  await target.stop();
  const job = `idle connection, ${COUNT} at once`;
  const ratio = product.rss / bare.rss;
  const shown = ({ rss, held }: Memory) => `${rss.toFixed(1)} / ${held.toFixed(1)}`;
  return [
    plain(job, 'product, KiB resident / in use', shown(product)),
    plain(job, 'bare Socket.IO, KiB resident / in use', shown(bare)),
    judged(job, 'ratio of resident', ratio, `<= ${GOAL}`, ratio <= GOAL),
  ];
}

async function perConnection(program: Program, server: ChatServer, people: Person[]): Promise<Memory> {
  await leave(await gather(server, people.slice(0, WARM)));
  const before = await collectedMemory(program);
  const sockets = await gather(server, people);
  // The work after a connection is over.
  await sleep(3_000);
  const after = await collectedMemory(program);
  await leave(sockets);
  const each = (name: keyof Memory) => (after[name] - before[name]) / people.length / 1024;
  return { rss: each('rss'), held: each('held') };
}

async function gather(server: ChatServer, people: Person[]): Promise<Socket[]> {
  const sockets: Socket[] = [];
  await inParallel(people.length, CONNECTING, async (i) => {
    sockets.push(await connect(server, people[i] as Person));
  });
  return sockets;
}

async function leave(sockets: Socket[]): Promise<void> {
  for (const socket of sockets) socket.disconnect();
  await sleep(1_000);
}

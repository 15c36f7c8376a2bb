import { setTimeout as sleep } from 'node:timers/promises';
import { signBare } from './bareTokens.js';
import { connect } from './chat.js';
import { type Person, storePeople } from './people.js';
import { collectedMemory, type Memory } from './processes.js';
import { judged, plain, type Row } from './report.js';
import type { GatewayProgram, Site } from './site.js';
import { inParallel } from './stats.js';

const COUNT = 2_000;
const WARM = 100;
const CONNECTING = 20;
const GOAL = 1.3;

/** Compares the memory of an idle signed-in connection with that of bare Socket.IO, each in a fresh process. */
export async function benchIdle(site: Site): Promise<Row[]> {
  const people = await storePeople(site, 'patient', COUNT, 'idle');
  const gateway = await site.startGateway();
  const product = await idleMemory(gateway, people);
  await gateway.stop();
  const target = await site.startBare();
  const bare = await idleMemory(
    target,
    people.map(({ id }) => ({ id, token: signBare(id) })),
  );
  await target.stop();
  const job = `idle connection, ${COUNT} at once`;
  const ratio = product.rss / bare.rss;
  const shown = ({ rss, old, held }: Memory) => [rss, old, held].map((KiB) => KiB.toFixed(1)).join(' / ');
  return [
    plain(job, 'product, KiB resident / without young objects / in use', shown(product)),
    plain(job, 'bare Socket.IO, KiB resident / without young objects / in use', shown(bare)),
    judged(job, 'ratio of resident', ratio, `<= ${GOAL}`, ratio <= GOAL),
    plain(job, 'ratio without young objects', product.old / bare.old),
  ];
}

/** A connection that can be ended. */
interface Connected {
  disconnect: () => unknown;
}

/**
 * Returns the memory that a server uses for each of `count` connections. Connections that are gone before the
 * measurement begins make it load its code.
 */
export async function perConnection(
  count: number,
  connectOne: (i: number) => Promise<Connected>,
  measure: () => Promise<Memory>,
): Promise<Memory> {
  await leave(await gather(WARM, connectOne));
  const before = await measure();
  const connections = await gather(count, connectOne);
  // The work after a connection is over.
  await sleep(3_000);
  const after = await measure();
  await leave(connections);
  const each = (name: keyof Memory) => (after[name] - before[name]) / count / 1024;
  return { rss: each('rss'), old: each('old'), held: each('held') };
}

/** Returns the memory of an idle connection of these people at one of the product's servers. */
export const idleMemory = (server: GatewayProgram, people: Person[]): Promise<Memory> =>
  perConnection(
    people.length,
    (i) => connect(server, people[i] as Person),
    () => collectedMemory(server),
  );

async function gather(count: number, connectOne: (i: number) => Promise<Connected>): Promise<Connected[]> {
  const connections: Connected[] = [];
  await inParallel(count, CONNECTING, async (i) => {
    connections.push(await connectOne(i));
  });
  return connections;
}

async function leave(connections: Connected[]): Promise<void> {
  for (const connection of connections) connection.disconnect();
  await sleep(1_000);
}

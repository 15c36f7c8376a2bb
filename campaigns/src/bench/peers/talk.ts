import { setTimeout as sleep } from 'node:timers/promises';
import type { Pair, Send } from '../chat.js';
import { type Figures, gather, noFigures, round, storePairs, type Talk } from '../crowd.js';
import { idleMemory, perConnection } from '../idle.js';
import { residentMiB } from '../memory.js';
import { storePeople } from '../people.js';
import type { Memory } from '../processes.js';
import { judged, plain, type Row, spread } from '../report.js';
import type { Site } from '../site.js';
import { inParallel, inTurn, median } from '../stats.js';
import type { Peer, Recipe } from './program.js';
import { XmppConnection } from './xmpp.js';

const RATE = 1_000;
const ROUNDS = 5;
const CONNECTING = 20;
const IDLE = 2_000;
const KIB = 1024;
const MIB = KIB * KIB;
/** Longer than the second after which Prosody has collected again. */
const COLLECTING_MS = 2_500;

interface PeerTalk extends Talk {
  senders: Send[];
  leave: () => void;
}

/** The accounts of one part. */
const busy = (i: number): string => `busy${i}`;
const idle = (i: number): string => `idle${i}`;

async function register(peer: Peer, count: number, nameOf: (i: number) => string): Promise<void> {
  await inParallel(count, CONNECTING, (i) => XmppConnection.register(peer, nameOf(i)));
}

/** Signs in as many people as there are in the pairs of the product. */
async function gatherAt(peer: Peer, pairs: Pair[]): Promise<PeerTalk> {
  await register(peer, pairs.length * 2, busy);
  const arrivals = new Map<string, number>();
  const connections: XmppConnection[] = [];
  await inParallel(pairs.length * 2, CONNECTING, async (i) => {
    const connection = await XmppConnection.signIn(peer, busy(i));
    connection.hear((id) => arrivals.set(id, performance.now()));
    connections[i] = connection;
  });
  // Even ones write, and odd ones read. The id of a person is the name here.
  const people = pairs.map((_, k) => [busy(2 * k), busy(2 * k + 1)].map((id) => ({ id, token: '' })));
  return {
    pairs: people.map(([from, to]) => ({ from, to }) as Pair),
    arrivals,
    senders: pairs.map(
      (_, k): Send =>
        async ({ recipientId, clientId, content }) =>
          connections[2 * k]?.send(recipientId, clientId, content),
    ),
    leave: () => {
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** A thousand people at the product and at each server of XMPP. Half of them write 1,000 messages a second. */
export async function benchPeerTalk(site: Site, recipes: Recipe[]): Promise<Row[]> {
  const pairs = await storePairs(site);
  const product = await gather(site.gateways[0], pairs);
  const sides: { name: string; figures: Figures; run: () => Promise<number> }[] = [];
  const add = (name: string, talk: Talk, senders: Send[]) => {
    const figures = noFigures();
    sides.push({ name, figures, run: round(talk, senders, RATE, figures) });
    return figures;
  };
  const bySocket = add('product, by socket', product, product.ways.socket);
  add('product, by POST', product, product.ways.POST);
  const started: { peer: Peer; talk: PeerTalk; recipe: Recipe; figures: Figures }[] = [];
  for (const recipe of recipes) {
    const peer = await site.startPeer(recipe);
    const talk = await gatherAt(peer, pairs);
    started.push({ peer, talk, recipe, figures: add(recipe.name, talk, talk.senders) });
  }
  await inTurn(ROUNDS, Object.fromEntries(sides.map(({ name, run }) => [name, run])));
  product.leave();
  for (const { peer, talk } of started) {
    talk.leave();
    await peer.stop();
  }
  const job = `${RATE} messages/s, ${pairs.length * 2} people`;
  const compared = (percentile: 'p50' | 'p99', other: Figures) =>
    median(bySocket[percentile]) / median(other[percentile]);
  return [
    ...sides.flatMap(({ name, figures }) => [
      plain(job, `${name}, p50 ms`, spread(figures.p50)),
      plain(job, `${name}, p99 ms`, spread(figures.p99)),
      plain(job, `${name}, lost`, figures.lost),
    ]),
    ...started.flatMap(({ recipe: { name }, figures }) => {
      const [p50, p99] = [compared('p50', figures), compared('p99', figures)];
      return name === 'Prosody'
        ? [plain(job, 'ratio of p50 to Prosody', p50), judged(job, 'ratio of p99 to Prosody', p99, '<= 1', p99 <= 1)]
        : [
            judged(job, `ratio of p50 to ${name}`, p50, '<= 2.5', p50 <= 2.5),
            plain(job, `ratio of p99 to ${name}`, p99),
          ];
    }),
    judged(job, 'lost by the product', bySocket.lost, '0', bySocket.lost === 0),
  ];
}

/** The memory of an idle connection, each side in a fresh process whose accounts exist. */
export async function benchPeerIdle(site: Site, recipes: Recipe[]): Promise<Row[]> {
  const job = `idle connection, ${IDLE} at once, beside peers`;
  const people = await storePeople(site, 'patient', IDLE, 'quiet');
  const gateway = await site.startGateway();
  const product = await idleMemory(gateway, people);
  await gateway.stop();
  const rows = [plain(job, 'product, KiB resident', product.rss)];
  for (const recipe of recipes) {
    const first = await site.startPeer(recipe);
    await register(first, IDLE, idle);
    await first.stop();
    const peer = await site.startPeer(recipe);
    const { rss } = await perConnection(
      IDLE,
      (i) => XmppConnection.signIn(peer, idle(i)),
      () => settledMemory(peer),
    );
    await peer.stop();
    const ratio = product.rss / rss;
    rows.push(
      plain(job, `${recipe.name}, KiB resident`, rss),
      recipe.name === 'Prosody'
        ? judged(job, 'ratio to Prosody', ratio, '<= 0.75', ratio <= 0.75)
        : plain(job, `ratio to ${recipe.name}`, ratio),
    );
  }
  return rows;
}

async function settledMemory({ pid }: Peer): Promise<Memory> {
  await sleep(COLLECTING_MS);
  const rss = residentMiB(pid) * MIB;
  return { rss, old: rss, held: rss };
}

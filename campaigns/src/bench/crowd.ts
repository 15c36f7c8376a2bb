import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'socket.io-client';
import { signBare } from './bareTokens.js';
import { byPost, bySocket, type ChatServer, connect, type Pair, type Send, sendAtRate, watchArrivals } from './chat.js';
import { type Person, storePeople } from './people.js';
import { judged, plain, type Row, spread } from './report.js';
import type { Site } from './site.js';
import { inParallel, inTurn, median, percentile } from './stats.js';

const PAIRS = 500;
const CONNECTING = 20;
const RATES = [200, 500, 1_000];
/** Messages a second of the round before the measured ones, which writes to each pair twice. */
const WARMING = 500;
const ROUNDS = 5;
const SECONDS = 2;
/** The largest ratios to the bare target, by way and rate. The others are measured without a goal. */
const GOALS: Record<string, { p50: number; p99: number }> = { 'POST 500': { p50: 1.3, p99: 2 } };
/** At this rate the calls are also compared with those of a bare target that is not tuned. */
const UNTUNED = { rate: 1_000, goal: 0.1 };
/** How long messages may take after the last acknowledgement before they count as lost. */
const PATIENCE_MS = 10_000;

/** People who write in pairs, and the time at which each message arrived. */
export interface Talk {
  pairs: Pair[];
  arrivals: Map<string, number>;
}

/** A server with a connected socket for each person. */
interface Crowd extends Talk {
  ways: Record<'POST' | 'socket', Send[]>;
  leave: () => void;
}

/** Stores a thousand people. Half of them write to the other half. */
export async function storePairs(site: Site): Promise<Pair[]> {
  const from = await storePeople(site, 'healthProvider', PAIRS, 'writer');
  const to = await storePeople(site, 'patient', PAIRS, 'reader');
  return from.map((one, i): Pair => ({ from: one, to: to[i] as Person }));
}

export async function gather(server: ChatServer, pairs: Pair[]): Promise<Crowd> {
  const arrivals = new Map<string, number>();
  const sockets: { from: Socket; to: Socket }[] = [];
  await inParallel(pairs.length, CONNECTING, async (i) => {
    const { from, to } = pairs[i] as Pair;
    const pair = { from: await connect(server, from), to: await connect(server, to) };
    watchArrivals(pair.to, to, arrivals);
    sockets[i] = pair;
  });
  return {
    pairs,
    arrivals,
    ways: { POST: pairs.map(({ from }) => byPost(server, from)), socket: sockets.map(({ from }) => bySocket(from)) },
    leave: () => {
      for (const { from, to } of sockets) for (const socket of [from, to]) socket.disconnect();
    },
  };
}

export interface Figures {
  p50: number[];
  p99: number[];
  lost: number;
}

export const noFigures = (): Figures => ({ p50: [], p99: [], lost: 0 });

/** Sends messages at a rate. Adds the milliseconds from the planned moment of each to its recipient's socket. */
export const round =
  ({ pairs, arrivals }: Talk, senders: Send[], perSecond: number, figures: Figures) =>
  async () => {
    arrivals.clear();
    const planned = await sendAtRate(pairs, senders, { perSecond, seconds: SECONDS });
    const deadline = Date.now() + PATIENCE_MS;
    while (arrivals.size < planned.size && Date.now() < deadline) await sleep(20);
    const times = [...arrivals].map(([id, at]) => at - (planned.get(id) ?? Number.NaN));
    figures.lost += planned.size - arrivals.size;
    figures.p99.push(percentile(times, 0.99));
    figures.p50.push(median(times));
    return median(times);
  };

/** A thousand people, each with a socket, at the product and at the bare target. Half of them write. */
export async function benchCrowd(site: Site): Promise<Row[]> {
  const pairs = await storePairs(site);
  const bareOf = ({ id }: Person): Person => ({ id, token: signBare(id) });
  const product = await gather(site.gateways[0], pairs);
  const bare = await gather(
    { api: site.bare, origin: site.bare },
    pairs.map((pair) => ({ from: bareOf(pair.from), to: bareOf(pair.to) })),
  );
  const untuned = bare.pairs.map(({ from }) => byPost({ api: `${site.bare}/untuned`, origin: site.bare }, from));
  const rows: Row[] = [];
  for (const way of ['POST', 'socket'] as const) {
    const sides = { product: [product, product.ways[way]], bare: [bare, bare.ways[way]] } as const;
    const all = way === 'POST' ? { ...sides, untuned: [bare, untuned] as const } : sides;
    await warm(Object.values(all));
    for (const rate of RATES) rows.push(...(await compare(way, rate, rate === UNTUNED.rate ? all : sides)));
  }
  product.leave();
  bare.leave();
  return rows;
}

type Side = readonly [talk: Talk, senders: Send[]];
type Sides = Record<'product' | 'bare', Side> & { untuned?: Side };

/** Opens the chats and the connections, and lets all sides compile their code: the measured rounds are of servers that run. */
async function warm(sides: Side[]): Promise<void> {
  for (const [talk, senders] of sides) await round(talk, senders, WARMING, noFigures())();
}

async function compare(way: keyof Crowd['ways'], rate: number, sides: Sides): Promise<Row[]> {
  const job = `${rate} messages/s by ${way}, ${PAIRS * 2} people`;
  const [ours, theirs, plainly] = [noFigures(), noFigures(), noFigures()];
  const part = ([talk, senders]: Side, figures: Figures) => round(talk, senders, rate, figures);
  const contenders: Record<string, () => Promise<number>> = {
    product: part(sides.product, ours),
    bare: part(sides.bare, theirs),
  };
  if (sides.untuned) contenders.untuned = part(sides.untuned, plainly);
  await inTurn(ROUNDS, contenders);
  const goals = GOALS[`${way} ${rate}`];
  const ratios = (['p50', 'p99'] as const).map((name) => {
    const ratio = median(ours[name]) / median(theirs[name]);
    const measure = `ratio of ${name}`;
    return goals ? judged(job, measure, ratio, `<= ${goals[name]}`, ratio <= goals[name]) : plain(job, measure, ratio);
  });
  return [
    plain(job, 'product, p50 ms', spread(ours.p50)),
    plain(job, 'product, p99 ms', spread(ours.p99)),
    plain(job, 'bare Socket.IO, p50 ms', spread(theirs.p50)),
    plain(job, 'bare Socket.IO, p99 ms', spread(theirs.p99)),
    ...ratios,
    ...(sides.untuned ? besideUntuned(job, ours, plainly) : []),
    judged(job, 'lost', ours.lost, '0', ours.lost === 0),
  ];
}

function besideUntuned(job: string, ours: Figures, untuned: Figures): Row[] {
  const ratio = median(ours.p50) / median(untuned.p50);
  return [
    plain(job, 'bare, untuned, p50 ms', spread(untuned.p50)),
    plain(job, 'bare, untuned, p99 ms', spread(untuned.p99)),
    judged(job, 'ratio of p50 to untuned', ratio, `<= ${UNTUNED.goal}`, ratio <= UNTUNED.goal),
  ];
}

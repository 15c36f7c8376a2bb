import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { data, postJson } from './client.js';
import type { Person } from './people.js';
import { judged, plain, type Row } from './report.js';
import type { GatewayProgram, Site } from './site.js';
import { percentile } from './stats.js';

const MESSAGES = 200;
const GAP_MS = 5;
const STREAM = { perSecond: 300, seconds: 4, timeoutMs: 5_000 };

interface Incoming {
  clientId?: string;
  recipientId: string;
}

export interface Pair {
  from: Person;
  to: Person;
}

/** A server of messages: a gateway, or the bare target. */
export type ChatServer = Pick<GatewayProgram, 'api' | 'origin'>;

export async function connect({ origin }: ChatServer, { token }: Person): Promise<Socket> {
  const socket = io(origin, { auth: { token }, transports: ['websocket'], reconnection: false });
  await once(socket as never, 'connect', { signal: AbortSignal.timeout(10_000) });
  return socket;
}

/** Stores the time at which each message arrived at its recipient, by its `clientId`. */
export function watchArrivals(
  socket: Socket,
  person: Person,
  arrivals: Map<string, number>,
  arrived?: () => void,
): void {
  socket.on('message:new', ({ clientId, recipientId }: Incoming) => {
    if (!clientId || recipientId !== person.id) return;
    arrivals.set(clientId, performance.now());
    arrived?.();
  });
}

export type Send = (message: { recipientId: string; content: string; clientId: string }) => Promise<unknown>;

export const bySocket =
  (socket: Socket): Send =>
  async (message) => {
    const answer = (await socket.timeout(10_000).emitWithAck('message:send', message)) as { data?: unknown };
    if (!answer.data) throw new Error(`A message was refused: ${JSON.stringify(answer)}`);
  };

export const byPost =
  ({ api }: ChatServer, { token }: Person): Send =>
  (message) =>
    data(postJson(`${api}/message/send`, message, token));

/** Returns the milliseconds from sending a message to its arrival at the other person's socket, one message at a time. */
async function latencies(send: Send, receiver: Socket, to: Person): Promise<number[]> {
  const arrivals = new Map<string, number>();
  let arrived = () => {};
  watchArrivals(receiver, to, arrivals, () => arrived());
  const times: number[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    const clientId = randomUUID();
    const seen = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const start = performance.now();
    await Promise.all([send({ recipientId: to.id, content: `Message ${i}`, clientId }), seen]);
    times.push((arrivals.get(clientId) ?? Number.NaN) - start);
    await sleep(GAP_MS);
  }
  receiver.removeAllListeners('message:new');
  return times;
}

const percentiles = (times: number[]): string =>
  [0.5, 0.95, 0.99].map((p) => percentile(times, p).toFixed(1)).join(' / ');

export async function benchLatency(site: Site, { from, to }: Pair): Promise<Row[]> {
  const [near, far] = site.gateways;
  const [sender, here, there] = await Promise.all([connect(near, from), connect(near, to), connect(far, to)]);
  const ways: [string, Send, Socket][] = [
    ['POST, one gateway', byPost(near, from), here],
    ['POST, two gateways', byPost(near, from), there],
    ['socket, one gateway', bySocket(sender), here],
    ['socket, two gateways', bySocket(sender), there],
  ];
  const rows: Row[] = [];
  for (const [name, send, receiver] of ways) {
    const times = await latencies(send, receiver, to);
    const middle = percentile(times, 0.5);
    rows.push(plain('message, idle machine', `${name}, p50 / p95 / p99 ms`, percentiles(times)));
    rows.push(judged('message, idle machine', `${name}, median ms`, middle, '< 100', middle < 100));
  }
  for (const socket of [sender, here, there]) socket.disconnect();
  return rows;
}

/** Many people write at a fixed rate, even if the product is slower. Half of the pairs are on different gateways. */
export async function benchStream(site: Site, pairs: Pair[]): Promise<Row[]> {
  const job = `${STREAM.perSecond} messages/s from ${pairs.length} sockets`;
  const [near, far] = site.gateways;
  const arrivals = new Map<string, number>();
  const senders = await Promise.all(pairs.map(({ from }) => connect(near, from)));
  const receivers = await Promise.all(pairs.map(({ to }, i) => connect(i % 2 ? far : near, to)));
  for (const [i, { to }] of pairs.entries()) watchArrivals(receivers[i] as Socket, to, arrivals);

  const planned = await sendAtRate(pairs, senders.map(bySocket), STREAM);
  const deadline = Date.now() + STREAM.timeoutMs;
  while (arrivals.size < planned.size && Date.now() < deadline) await sleep(20);
  for (const socket of [...senders, ...receivers]) socket.disconnect();

  const times = [...arrivals].map(([id, at]) => at - (planned.get(id) ?? Number.NaN));
  const lost = planned.size - arrivals.size;
  return [
    plain(job, 'planned moment to socket, p50 / p95 / p99 ms', percentiles(times)),
    judged(job, `lost of ${planned.size}`, lost, '0', lost === 0),
  ];
}

/** Sends the messages and waits for every acknowledgement. Returns the planned time of each message by its id. */
export async function sendAtRate(
  pairs: Pair[],
  senders: Send[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Map<string, number>> {
  const planned = new Map<string, number>();
  const acknowledged: Promise<unknown>[] = [];
  const start = performance.now() + 100;
  for (let i = 0; i < perSecond * seconds; i++) {
    const due = start + (i * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const clientId = randomUUID();
    planned.set(clientId, due);
    const k = i % pairs.length;
    const recipientId = pairs[k]?.to.id ?? '';
    acknowledged.push((senders[k] as Send)({ recipientId, content: `Message ${i}`, clientId }));
  }
  await Promise.all(acknowledged);
  return planned;
}

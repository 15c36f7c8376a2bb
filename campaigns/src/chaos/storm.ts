import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Tokens } from '@lightbox/backend/auth/tokens.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { newId } from '@lightbox/core/db/ids.js';
import { conversationOf } from '@lightbox/core/messages/messages.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { newUsers } from '../bench/people.js';
import { type Program, startProgram } from '../bench/processes.js';
import { judged, plain, type Row } from '../bench/report.js';
import { percentile } from '../bench/stats.js';
import type { Cluster, Replaceable } from './cluster.js';
import type { Return, Tab } from './crowd.js';
import type { CrowdOrder } from './crowdProcess.js';
import { password } from './people.js';

const GOAL = { backMs: 30_000, loginMs: 2_000 };
const TIMEOUT_MS = 90_000;
/** The pause between two sign-ins at each gateway. */
const LOGIN_EVERY_MS = 400;
const LOGIN_TIMEOUT_MS = 15_000;
const STRANGERS = 20;

/** Disconnects all clients, in each of the ways in which that happens, and measures how they reconnect. */
export async function storm(cluster: Cluster, sockets: number): Promise<Row[]> {
  const { gateways } = cluster;
  console.log(`Storing ${sockets} accounts, and connecting each …`);
  const tabs = await tabsOf(cluster, sockets);
  const strangers = await newUsers('patient', STRANGERS, password, 'stranger');
  await cluster.core.models.User.insertMany(strangers);
  const crowd = await startProgram('campaigns/dist/chaos/crowdProcess.js', {});
  try {
    await order(crowd, { name: 'gather', tabs });
    const [near] = gateways;
    const ofNear = tabs.filter(({ origin }) => origin === near.origin).length;
    const all = (work: (gateway: Replaceable) => Promise<unknown>) => () => Promise.all(gateways.map(work));
    const rounds: [string, number, () => Promise<unknown>][] = [
      ['one gateway killed', ofNear, near.killAndRestart],
      ['both gateways killed', tabs.length, all((gateway) => gateway.killAndRestart())],
      ['both gateways restarted', tabs.length, all((gateway) => gateway.endAndRestart())],
    ];
    const rows: Row[] = [];
    for (const [name, expected, cut] of rounds) {
      console.log(`${name} …`);
      rows.push(...(await round(crowd, gateways, strangers, name, expected, cut)));
      // Waits so that the remaining work of this round does not slow the next one.
      await sleep(5_000);
    }
    return rows;
  } finally {
    await crowd.stop();
  }
}

async function round(
  crowd: Program,
  gateways: readonly Replaceable[],
  strangers: UserDoc[],
  name: string,
  expected: number,
  cut: () => Promise<unknown>,
): Promise<Row[]> {
  await order(crowd, { name: 'watch' });
  const logins = gateways.map(({ origin }, i) => new Logins(origin, strangers, i));
  const since = performance.now();
  const restarted = cut().then(() => performance.now() - since);
  const figures = (await order(crowd, { name: 'returned', expected, timeoutMs: TIMEOUT_MS })) as Return;
  const done = await Promise.all(logins.map((some) => some.end()));
  return [
    plain(name, 'gateways ready again after, s', (await restarted) / 1000),
    ...returnRows(name, expected, figures),
    ...loginRows(
      name,
      done.flatMap(({ times }) => times),
      done.flatMap(({ faults }) => faults),
    ),
  ];
}

/** Returns the report rows of `Crowd.returned`, with the product's goals. */
function returnRows(job: string, expected: number, { cut, back, caughtUp, refused, failures }: Return): Row[] {
  const slowest = Math.max(0, ...back);
  printFaults([...refused, ...failures]);
  return [
    judged(job, 'sockets disconnected', cut, `>= ${expected}`, cut >= expected),
    judged(job, 'sockets reconnected', back.length, 'all', back.length >= expected),
    plain(job, 'reconnected after, s p50 / p95', percentiles(back, [0.5, 0.95])),
    judged(job, 'last socket reconnected after, s', slowest / 1000, '<= 30', slowest <= GOAL.backMs),
    plain(job, 'reconnects in the busiest second', String(busiest(back, 1_000))),
    plain(job, 'caught up after, s p50 / p95', percentiles(caughtUp, [0.5, 0.95])),
    plain(job, 'last tab caught up after, s', Math.max(0, ...caughtUp) / 1000),
    judged(job, 'reads answered 5xx', refused.length, '0', refused.length === 0),
    judged(job, 'reads that failed after retries', failures.length, '0', failures.length === 0),
  ];
}

function loginRows(job: string, times: number[], faults: string[]): Row[] {
  const p95 = percentile(times, 0.95);
  printFaults(faults);
  return [
    plain(job, 'sign-ins answered meanwhile', String(times.length)),
    judged(job, 'p95 of the sign-ins, ms', p95, '< 2000', p95 < GOAL.loginMs),
    judged(job, 'sign-ins refused', faults.length, '0', faults.length === 0),
  ];
}

const percentiles = (times: number[], shares: number[]): string =>
  shares.map((p) => (percentile(times, p) / 1000).toFixed(1)).join(' / ');

function printFaults(faults: string[]): void {
  for (const fault of new Set(faults)) {
    console.log(`  fault, ${faults.filter((other) => other === fault).length} times: ${fault}`);
  }
}

/** Returns the highest number of times within one window of `windowMs`. */
export function busiest(times: number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let [most, from] = [0, 0];
  for (const [to, time] of sorted.entries()) {
    while (time - (sorted[from] as number) > windowMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

/** Other people sign in at one gateway, one after the other, until `end`. */
class Logins {
  private over = false;
  private readonly times: number[] = [];
  private readonly faults: string[] = [];
  private readonly running: Promise<void>;

  constructor(
    private readonly origin: string,
    private readonly strangers: UserDoc[],
    private turn: number,
  ) {
    this.running = this.run();
  }

  async end(): Promise<{ times: number[]; faults: string[] }> {
    this.over = true;
    await this.running;
    return { times: this.times, faults: this.faults };
  }

  private async run(): Promise<void> {
    while (!this.over) {
      const { email } = this.strangers[this.turn++ % this.strangers.length] as UserDoc;
      const since = performance.now();
      const answer = await fetch(`${this.origin}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
        signal: AbortSignal.timeout(LOGIN_TIMEOUT_MS),
      }).catch((error: Error) => error);
      // A refused connection is expected while the gateway is down. A gateway that accepts it and does not answer is a fault.
      if (!(answer instanceof Error)) {
        await answer.arrayBuffer();
        this.times.push(performance.now() - since);
        if (!answer.ok) this.faults.push(`a sign-in: ${answer.status}`);
      } else if (answer.name === 'TimeoutError') this.faults.push('a sign-in without an answer');
      await sleep(LOGIN_EVERY_MS);
    }
  }
}

/** Stores signed-in people in pairs with a common chat. The people alternate between the gateways. */
export async function tabsOf({ core, gateways }: Cluster, count: number): Promise<Tab[]> {
  const people = await newUsers('healthProvider', count, password, 'crowd');
  const sessions = people.map(({ _id }) => sessionOf(core, _id));
  const pairs = Array.from({ length: Math.floor(count / 2) }, (_, i) => people.slice(2 * i, 2 * i + 2));
  await core.models.User.insertMany(people);
  await core.models.Session.insertMany(sessions);
  await core.models.Conversation.insertMany(pairs.map(([one, other]) => chatOf(one as UserDoc, other as UserDoc)));
  const tokens = new Tokens(core.keys, core.clock);
  return sessions.map(({ _id, user }, i) => ({
    origin: (gateways[i % 2] as Replaceable).origin,
    token: tokens.access(String(user), String(_id)),
  }));
}

function sessionOf(core: Core, user: UserDoc['_id']): SessionDoc {
  const now = core.clock.now();
  const expiresAt = new Date(now.getTime() + limits.sessionHours * 3_600_000);
  return { _id: newId(), user, createAt: now, lastSeenAt: now, expiresAt, generation: 0, rotatedAt: now, ip: '' };
}

const chatOf = ({ _id: one }: UserDoc, { _id: other }: UserDoc): ConversationDoc => ({
  _id: conversationOf(one, other),
  members: [one, other],
  seq: 1,
  lastAt: new Date(),
  read: {},
});

async function order({ child }: Program, what: CrowdOrder): Promise<unknown> {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS * 2) });
  child.send(what);
  const [{ done }] = (await answered) as [{ done: unknown }];
  return done;
}

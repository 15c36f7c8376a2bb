import { setTimeout as sleep } from 'node:timers/promises';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { judged, plain, type Row } from '../bench/report.js';
import { percentile } from '../bench/stats.js';
import { Account, type Encounters } from './account.js';
import { Backups } from './backups.js';
import { type ChatFigures, Chatter } from './chatter.js';
import { admin, type Cluster } from './cluster.js';
import { breakThings, type FaultFigures } from './faults.js';
import { enterPeople, password } from './people.js';
import { Chance } from './random.js';
import { StockClient } from './stockClient.js';
import { type Uploaded, uploadOne } from './uploader.js';
import { judgeChats, judgeStock, judgeStore, judgeUploads, settle } from './verdict.js';

const PAIRS = 10;
const UPLOADERS = 4;

/** The least number of each for one campaign. */
export interface Size {
  kills: number;
  messages: number;
  uploads: number;
}

/**
 * People chat and upload while one fault follows another. Then it counts lost, duplicate and unordered records. With
 * `backsUp`, the product is backed up meanwhile, and restored on other servers.
 */
export async function campaign(cluster: Cluster, size: Size, seed: number, backsUp: boolean): Promise<Row[]> {
  const met: Encounters = { faults: [], repeats: 0, refused: [] };
  const chat: ChatFigures = { acknowledged: 0, resent: 0, connects: 0, repeatedOnOneSocket: 0, away: [] };
  const origins = cluster.gateways.map(({ origin }) => origin);
  let turns = 0;
  const account = async (email: string, secret = password) => {
    const made = new Account(origins, met, turns++);
    await made.signIn(email, secret, cluster.mailbox);
    return made;
  };
  const { providers, patients } = await enterPeople(cluster.core, PAIRS + UPLOADERS, PAIRS);
  const pairs = await Promise.all(
    patients.map(async (patient, i): Promise<[Chatter, Chatter]> => {
      const sides = await Promise.all([account(providers[i] as string), account(patient)]);
      return [new Chatter(sides[0], 'socket', chat), new Chatter(sides[1], i % 2 ? 'post' : 'socket', chat)];
    }),
  );
  const uploaders = await Promise.all(providers.slice(PAIRS).map((email) => account(email)));
  const stock = pairs.map(([one, other]) => ({ client: new StockClient(other.account), sides: [one, other] }));
  await Promise.all([...pairs.flat(), ...stock.map(({ client }) => client)].map((side) => side.open()));

  const uploads: Uploaded[] = [];
  const progress = { done: false };
  const enough = () => chat.acknowledged >= size.messages && uploads.length >= size.uploads;
  const recipient = pairs[0]?.[1].account.id as string;
  const traffic = Promise.all([
    ...pairs.flatMap(([one, other]) => [chatOn(one, other, progress), chatOn(other, one, progress)]),
    ...uploaders.map((uploader, i) => uploadOn(uploader, i, recipient, uploads, size.uploads, progress)),
  ]);
  const timer = setInterval(() => {
    console.log(`  ${chat.acknowledged} messages, ${uploads.length} uploads acknowledged`);
  }, 15_000);
  const since = Date.now();
  const backups = backsUp ? new Backups(cluster) : null;
  const mayEnd = () => enough() && (backups?.isMade ?? true);
  const backingUp = backups?.makeUntil(progress);
  const faults = await breakThings(cluster, new Chance(seed), size.kills, mayEnd).finally(() => {
    progress.done = true;
    clearInterval(timer);
  });
  await traffic;
  await backingUp;
  const seconds = (Date.now() - since) / 1000;
  console.log('All processes run again; waiting until the work is done …');
  const settled = await settle(cluster, whenBusy(180_000));
  const messages = new Map(pairs.flat().flatMap(({ acknowledgedAt }) => [...acknowledgedAt]));
  const rows = [
    plain('campaign', 'seconds', seconds),
    ...faultRows(faults, size),
    judged('campaign', 'messages acknowledged', chat.acknowledged, `>= ${size.messages}`, enough()),
    judged('campaign', 'uploads acknowledged', uploads.length, `>= ${size.uploads}`, enough()),
    plain('campaign', 'sends repeated under their clientId', chat.resent),
    plain('campaign', 'calls repeated', met.repeats),
    plain('campaign', 'connections made', chat.connects),
    plain('campaign', 'time without a connection, ms p50 / p99', away(chat.away)),
    plain('campaign', 'seconds until all work was done', settled / 1000),
    judged('campaign', 'answers 5xx other than 503, 507', met.faults.length, '0', met.faults.length === 0),
    judged(
      'messages',
      'delivered twice on one connection',
      chat.repeatedOnOneSocket,
      '0',
      chat.repeatedOnOneSocket === 0,
    ),
    ...(await judgeChats(pairs)),
    ...(await judgeStock(stock)),
    ...(await judgeUploads(cluster, uploads, patients[0] as string)),
    ...(await judgeWhole(cluster, () => account(admin.email, admin.password))),
    ...((await backups?.judge({ messages, uploads })) ?? []),
  ];
  for (const fault of new Set(met.faults)) console.log(`  fault: ${fault}`);
  for (const side of [...pairs.flat(), ...stock.map(({ client }) => client)]) side.close();
  return rows;
}

/** Signs the administrator in now: a session that nobody uses ends after half an hour, and the faults may take longer. */
async function judgeWhole(cluster: Cluster, signIn: () => Promise<Account>): Promise<Row[]> {
  const administrator = await signIn();
  // The sign-in and the reads of the checks before are in the audit log too.
  await settle(cluster, 30_000);
  return judgeStore(cluster, administrator);
}

async function chatOn(from: Chatter, to: Chatter, progress: { done: boolean }): Promise<void> {
  for (let n = 0; !progress.done; n++) {
    await from.say(to.account.id, `Message ${n}`);
    await sleep(20 + Math.random() * 200);
  }
}

async function uploadOn(
  by: Account,
  first: number,
  recipientId: string,
  uploads: Uploaded[],
  most: number,
  progress: { done: boolean },
): Promise<void> {
  // Uploads continue after the other traffic has ended, until there are enough.
  for (let n = first; !progress.done || uploads.length < most; n += UPLOADERS) {
    uploads.push(await uploadOne(by, n, recipientId));
    if (uploads.length >= most) await sleep(2_000);
  }
}

function faultRows({ done, kills, endings }: FaultFigures, size: Size): Row[] {
  const most = Math.max(0, ...endings) / 1000;
  return [
    judged('faults', 'processes killed', kills, `>= ${size.kills}`, kills >= size.kills),
    ...Object.entries(done).map(([name, count]) => plain('faults', name, String(count))),
    judged('faults', 'longest time to end after SIGTERM, s', most, '<= 10', most <= 10),
  ];
}

const away = (times: number[]): string =>
  times.length === 0 ? '-' : [0.5, 0.99].map((p) => percentile(times, p).toFixed(0)).join(' / ');

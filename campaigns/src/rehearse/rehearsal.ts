import { setTimeout as sleep } from 'node:timers/promises';
import type { Core } from '@lightbox/core/core.js';
import { begunSteps } from '@lightbox/core/models/upgrade.js';
import { judged, plain, type Row } from '../bench/report.js';
import { Account, type Encounters } from '../chaos/account.js';
import { type ChatFigures, Chatter } from '../chaos/chatter.js';
import { admin } from '../chaos/cluster.js';
import { violations } from '../chaos/invariants.js';
import { enterPeople, password } from '../chaos/people.js';
import { sha256, type Uploaded, uploadOne } from '../chaos/uploader.js';
import { judgeChats, judgeStore, judgeUploads, settle } from '../chaos/verdict.js';
import type { OlderVersion } from './olderVersion.js';
import { type Generation, type Member, startStage } from './stage.js';

const PAIRS = 3;
const UPLOADERS = 1;
/** Pictures that are read from both versions. */
const COMPARED = 40;

const none = (job: string, measure: string, count: number): Row => judged(job, measure, count, '0', count === 0);

/** Lines of the log at error or above, with the version that wrote them. */
const isError = (line: string): boolean => /"level":[56]0/.test(line);

/**
 * The older version serves people who chat, upload, share and ask for analyses. This version starts beside it on the same
 * servers, the load moves over, and the older processes end one by one. Then it counts what was lost.
 */
export async function rehearse(older: OlderVersion, seconds: number): Promise<Row[]> {
  const errors: string[] = [];
  const stage = await startStage((line) => isError(line) && errors.push(line));
  const stopEarly = () => stage.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly);
  process.once('SIGTERM', stopEarly);
  const sides: Chatter[] = [];
  try {
    const { core, mailbox } = stage;
    console.log(`The older version, ${older.commit.slice(0, 8)}, starts …`);
    const old = await stage.start(older.folder);
    const { providers, patients } = await enterPeople(core, PAIRS + UPLOADERS, PAIRS);

    // The balancer: clients take the gateways that are in it now.
    const origins = old.gateways.map(({ origin }) => origin);
    const met: Encounters = { faults: [], repeats: 0, refused: [] };
    const chat: ChatFigures = { acknowledged: 0, resent: 0, connects: 0, repeatedOnOneSocket: 0, away: [] };
    let turns = 0;
    const account = async (email: string, secret = password) => {
      const made = new Account(origins, met, turns++);
      await made.signIn(email, secret, mailbox);
      return made;
    };
    const administrator = await account(admin.email, admin.password);
    const pairs: [Chatter, Chatter][] = [];
    for (const [i, patient] of patients.entries()) {
      const both = [await account(providers[i] as string), await account(patient)] as const;
      pairs.push([new Chatter(both[0], 'socket', chat), new Chatter(both[1], i % 2 ? 'post' : 'socket', chat)]);
    }
    sides.push(...pairs.flat());
    const uploaders: Account[] = [];
    for (const email of providers.slice(PAIRS)) uploaders.push(await account(email));
    await Promise.all(sides.map((side) => side.open()));

    const uploads: Uploaded[] = [];
    const progress = { done: false };
    const recipient = pairs[0]?.[1].account.id as string;
    const traffic = Promise.all([
      ...pairs.flatMap(([one, other]) => [talk(one, other, progress), talk(other, one, progress)]),
      ...uploaders.map((by, i) => upload(by, i, recipient, uploads, progress)),
    ]);
    const endings: number[] = [];
    const during = await (async () => {
      await phase('the older version alone', seconds, chat, uploads);
      const before = { messages: chat.acknowledged, uploads: uploads.length };
      const stepsBefore = await begunSteps(core.models);
      console.log('This version starts beside it …');
      const next = await stage.start();
      origins.push(...next.gateways.map(({ origin }) => origin));
      await phase('both versions', seconds, chat, uploads);
      const different = await readFromBoth(uploads, old, next);
      for (const [i, worker] of old.workers.entries()) {
        endings.push(await end(worker));
        const gateway = old.gateways[i] as Member;
        origins.splice(origins.indexOf(gateway.origin), 1);
        endings.push(await end(gateway));
        await phase(`${1 - i} of 2 older pairs left`, seconds / 2, chat, uploads);
      }
      await stage.prepare();
      const steps = (await begunSteps(core.models)).filter((name) => !stepsBefore.includes(name));
      return { before, different, steps };
    })().finally(() => {
      progress.done = true;
    });
    await traffic;
    console.log('The older version has ended; waiting until the work is done …');
    const settled = await settle(stage, 600_000);
    const failedJobs = (
      await Promise.all(Object.values(core.queues.all).map((queue) => queue.getFailedCount()))
    ).reduce((sum, count) => sum + count, 0);
    const rows = [
      plain('rehearsal', 'older version', older.commit.slice(0, 8)),
      plain('rehearsal', 'changes of records made', during.steps.join(', ') || 'none'),
      plain(
        'rehearsal',
        'messages acknowledged, older alone / in all',
        `${during.before.messages} / ${chat.acknowledged}`,
      ),
      plain('rehearsal', 'uploads acknowledged, older alone / in all', `${during.before.uploads} / ${uploads.length}`),
      judged('rehearsal', 'longest time to end after SIGTERM, s', max(endings), '<= 10', max(endings) <= 10),
      plain('rehearsal', 'seconds until all work was done', settled / 1000),
      plain('requests', 'repeated because the connection ended', met.repeats - met.refused.length),
      plain('requests', 'messages repeated under their clientId', chat.resent),
      none('requests', 'answered 408, 429, 503 or 507', met.refused.length),
      none('requests', 'answered with another 5xx', met.faults.length),
      none('images', 'read from both versions, and different', during.different),
      none('jobs', 'failed for good', failedJobs),
      none('messages', 'delivered twice on one connection', chat.repeatedOnOneSocket),
      ...(await judgeChats(pairs)),
      plain('uploads', 'previews by their state', await previewStates(core)),
      ...(await judgeUploads(stage, uploads, patients[0] as string, 2)),
      ...(await settle(stage, 30_000).then(() => judgeStore(stage, administrator))),
      none('records', 'against a rule', (await violations(core)).length),
      plain('processes', 'errors in the logs, below', String(errors.length)),
    ];
    for (const fault of new Set([...met.faults, ...met.refused, ...errors])) console.log(`  ${fault.slice(0, 400)}`);
    return rows;
  } finally {
    for (const side of sides) side.close();
    await stage.stop();
  }
}

/** A renderer that got no processor for too long calls a file undrawable: `none` on a busy machine, and not `pending`. */
async function previewStates({ models }: Core): Promise<string> {
  const states = await models.Image.aggregate<{ _id: string; count: number }>([
    { $group: { _id: '$preview', count: { $sum: 1 } } },
  ]);
  return states.map(({ _id, count }) => `${count} ${_id}`).join(', ');
}

const max = (times: number[]): number => Math.max(0, ...times) / 1000;

async function phase(name: string, seconds: number, chat: ChatFigures, uploads: Uploaded[]): Promise<void> {
  await sleep(seconds * 1_000);
  console.log(`  ${name}: ${chat.acknowledged} messages, ${uploads.length} uploads acknowledged`);
}

/** Ends a process as a supervisor does. Returns the milliseconds that it took. */
async function end({ program }: Member): Promise<number> {
  const since = Date.now();
  await program.stop();
  return Date.now() - since;
}

async function talk(from: Chatter, to: Chatter, progress: { done: boolean }): Promise<void> {
  for (let n = 0; !progress.done; n++) {
    await from.say(to.account.id, `Message ${n}`);
    await sleep(50 + Math.random() * 200);
  }
}

async function upload(
  by: Account,
  first: number,
  recipientId: string,
  uploads: Uploaded[],
  progress: { done: boolean },
): Promise<void> {
  for (let n = first; !progress.done; n += UPLOADERS) {
    uploads.push(await uploadOne(by, n, recipientId));
    await sleep(1_000);
  }
}

/** Reads images of both versions from a gateway of each. Returns how many are not the bytes that were uploaded. */
async function readFromBoth(uploads: Uploaded[], ...generations: Generation[]): Promise<number> {
  let different = 0;
  const some = [...uploads.slice(0, COMPARED / 2), ...uploads.slice(-COMPARED / 2)];
  for (const { id, sha256: expected, by } of some) {
    for (const { gateways } of generations) {
      const bytes = await by.bytes(`/upload/image/${id}/content`, gateways[0].origin).catch(() => null);
      if (!bytes || sha256(bytes) !== expected) different++;
    }
  }
  return different;
}

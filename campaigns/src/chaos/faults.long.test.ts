import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { broadcastMessages } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { formType, paddedPng, uploadForm } from '../bench/files.js';
import type { Row } from '../bench/report.js';
import { Account, type Encounters } from './account.js';
import { type ChatFigures, Chatter } from './chatter.js';
import { admin, type Cluster, startCluster } from './cluster.js';
import { Crowd } from './crowd.js';
import { enterPeople, password } from './people.js';
import { failPoints } from './replicaSet.js';
import { busiest, tabsOf } from './storm.js';
import { type Uploaded, uploadOne } from './uploader.js';
import { judgeChats, judgeStore, judgeUploads, settle } from './verdict.js';

/** Each fault of the campaign once and in order. `npm run chaos` runs many of them at random. */
let cluster: Cluster;
let provider: Chatter;
let patient: Chatter;
let uploader: Account;
let administrator: Account;
let patientEmail: string;
const met: Encounters = { faults: [], repeats: 0, refused: [] };
const figures: ChatFigures = { acknowledged: 0, resent: 0, connects: 0, repeatedOnOneSocket: 0, away: [] };
const uploads: Uploaded[] = [];

beforeAll(async () => {
  // Test commands can make a member fall behind, which makes a failover with data loss possible.
  cluster = await startCluster({ mongodOptions: failPoints });
  const { providers, patients } = await enterPeople(cluster.core, 2, 1);
  const origins = cluster.gateways.map(({ origin }) => origin);
  const account = async (turn: number, email = '', secret = password) => {
    const made = new Account(origins, met, turn);
    await made.signIn(email, secret, cluster.mailbox);
    return made;
  };
  patientEmail = patients[0] as string;
  administrator = await account(0, admin.email, admin.password);
  // Each side uses another gateway, so that messages must cross between gateways.
  provider = new Chatter(await account(0, providers[0]), 'socket', figures);
  patient = new Chatter(await account(1, patientEmail), 'post', figures);
  uploader = await account(0, providers[1]);
  await Promise.all([provider.open(), patient.open()]);
}, 180_000);

afterAll(async () => {
  provider?.close();
  patient?.close();
  await cluster?.stop();
}, 180_000);

/** Both sides send messages until `over` resolves. */
async function talkDuring(over: Promise<unknown>): Promise<void> {
  let done = false;
  const ending = over.finally(() => {
    done = true;
  });
  const talk = async (from: Chatter, to: Chatter) => {
    for (let n = 0; !done; n++) {
      await from.say(to.account.id, `Message ${n}`);
      await sleep(400);
    }
  };
  await Promise.all([talk(provider, patient), talk(patient, provider), ending]);
}

const unmet = (rows: Row[]): Row[] => rows.filter((row) => row.met === false);
const uploadMore = async (n: number) => uploads.push(await uploadOne(uploader, n, patient.account.id));

/** The tests of this file kill both workers once, freeze both once, and freeze one a second time. */
const WORKER_FAULTS = 5;

/** Leaves out `duplicates`, because some tests of this file upload without `uploadOne`. */
const unmetUploads = async (): Promise<Row[]> =>
  unmet(await judgeUploads(cluster, uploads, patientEmail, WORKER_FAULTS)).filter(
    ({ measure }) => measure !== 'duplicates',
  );

async function expectNothingLost(): Promise<void> {
  expect(unmet(await judgeChats([[provider, patient]]))).toEqual([]);
  expect(met.faults).toEqual([]);
}

/** The forms by key: a retry with the same key sends the same bytes, as a client does. */
const forms = new Map<string, Buffer>();

/** Sends the first half of an upload and waits until its first chunk is stored. `finish` sends the rest. */
async function halfUpload(origin: string, key: string) {
  const form = forms.get(key) ?? uploadForm(paddedPng(5_000_000), 'image/png');
  forms.set(key, form);
  const headers = {
    authorization: `Bearer ${uploader.bearer}`,
    'content-type': formType,
    'content-length': form.length,
    'idempotency-key': key,
  };
  const req = request(`${origin}/api/upload/image`, { method: 'POST', headers });
  const answered = once(req, 'response').then(
    ([res]) => (res.resume() as { statusCode: number }).statusCode,
    () => 'disconnected' as const,
  );
  const stored = await chunks();
  req.write(form.subarray(0, form.length / 2));
  await eventually(async () => expect(await chunks()).toBeGreaterThan(stored));
  return { finish: () => req.end(form.subarray(form.length / 2)), answered };
}

const images = () => cluster.core.models.Image.countDocuments({});
const chunks = () => cluster.core.db.collection('blobs.chunks').countDocuments({}, { readConcern: { level: NEWEST } });

/** True when the majority has so many chunks, so that they survive a failover. */
const majorityHas = async (chunks: number): Promise<boolean> =>
  (await cluster.core.db.collection('blobs.chunks').countDocuments({}, { readConcern: { level: 'majority' } })) >=
  chunks;

/** Sends a whole upload. Returns its status. */
async function wholeUpload(origin: string, key: string = crypto.randomUUID()) {
  const upload = await halfUpload(origin, key);
  upload.finish();
  return upload.answered;
}

it('While Valkey is killed and away, messages are accepted and reads are answered, and nothing is lost.', async () => {
  const away = cluster.valkey.awayDuring(async () => {
    const before = figures.acknowledged;
    await sleep(3_000);
    await eventually(() => expect(figures.acknowledged).toBeGreaterThan(before + 10));
  });
  await talkDuring(away);
  await expectNothingLost();
}, 180_000);

it('Acknowledged writes survive when MongoDB’s primary is killed, and when it steps down in the middle of an upload, which does not fail.', async () => {
  const before = await images();
  await talkDuring(
    Promise.all([cluster.mongodb.primary().then(cluster.mongodb.killAndRestart), uploadMore(0)]).then(async () => {
      const upload = await halfUpload(cluster.gateways[0].origin, crypto.randomUUID());
      await eventually(async () => expect(await majorityHas(await chunks())).toBe(true));
      await cluster.mongodb.stepDown();
      await cluster.mongodb.primary();
      upload.finish();
      // This election loses no chunk, so it does not fail the upload.
      expect(await upload.answered).toBe(201);
    }),
  );
  expect(await images()).toBe(before + 2);
  await expectNothingLost();
}, 180_000);

it('A live update that comes while MongoDB is away for longer than a read waits is shown when MongoDB is back.', async () => {
  await provider.say(patient.account.id, 'Before it');
  const [last] = await cluster.core.models.Message.find({}).sort({ _id: -1 }).limit(1).lean<MessageDoc[]>();
  const message = {
    ...(last as MessageDoc),
    _id: newId(),
    clientId: crypto.randomUUID(),
    createAt: cluster.core.clock.now(),
    seq: (last as MessageDoc).seq + 1,
    pending: false,
  };
  await cluster.core.models.Message.insertMany([message], { lean: true });
  await cluster.mongodb.awayDuring(async () => {
    await broadcastMessages(cluster.core, [message]);
    await sleep(6_500);
  });
  for (const side of [provider, patient]) {
    await eventually(() => expect(side.seen.has(String(message._id))).toBe(true));
  }
  await cluster.core.models.Message.deleteOne({ _id: message._id });
  for (const side of [provider, patient]) side.seen.delete(String(message._id));
  expect(met.faults).toEqual([]);
}, 180_000);

/** Waits until all work is done, as long as the machine needs. */
async function settled(ms = 60_000): Promise<void> {
  const limit = whenBusy(ms);
  expect(await settle(cluster, limit)).toBeLessThan(limit);
}

it('When both workers are killed during their jobs, the jobs are done afterwards.', async () => {
  const working = Promise.all([3, 6].map(uploadMore));
  await Promise.all(cluster.workers.map((worker) => worker.killAndRestart()));
  await working;
  await settled(45_000);
}, 600_000);

it('When a gateway is killed during a chat and an upload, its people continue at the other, no half image is left, and a retry with the same key makes one image.', async () => {
  const before = await images();
  const [gateway] = cluster.gateways;
  const key = crypto.randomUUID();
  const cut = await halfUpload(gateway.origin, key);
  await talkDuring(gateway.killAndRestart());
  expect(await cut.answered).toBe('disconnected');
  expect(await images()).toBe(before);
  const statuses = [];
  for (let tries = 0; tries < 2; tries++) statuses.push(await wholeUpload(gateway.origin, key));
  expect(statuses).toEqual([201, 201]);
  expect(await images()).toBe(before + 1);
  expect(figures.connects).toBeGreaterThan(2);
  expect(figures.repeatedOnOneSocket).toBe(0);
  await expectNothingLost();
}, 180_000);

/** Kills the primary while no other member has its newest writes, so that the next primary does not have them either. */
async function losePrimary({ mongodb }: Cluster, work: () => Promise<unknown>): Promise<void> {
  const [first, followers] = [await mongodb.primary(), await mongodb.secondaries()];
  const goOn = await mongodb.stall(followers);
  try {
    await work();
  } finally {
    const restart = await mongodb.kill(first);
    await goOn();
    // A member that is back before the election gives the others its newest writes.
    await mongodb.primary();
    await restart();
  }
}

it('An election that loses chunks of an upload causes 503 and no image, and a retry with the same key makes one image.', async () => {
  const [gateway] = cluster.gateways;
  // The first upload of a process also creates an index, which all members must have.
  expect(await wholeUpload(gateway.origin)).toBe(201);
  const before = await images();
  const key = crypto.randomUUID();
  let cut: Awaited<ReturnType<typeof halfUpload>> | undefined;
  let had = 0;
  await losePrimary(cluster, async () => {
    const stored = await chunks();
    cut = await halfUpload(gateway.origin, key);
    had = (await chunks()) - stored;
  });
  expect(had).toBeGreaterThan(0);
  cut?.finish();
  expect(await cut?.answered).toBe(503);
  expect(await images()).toBe(before);
  expect(await wholeUpload(gateway.origin, key)).toBe(201);
  expect(await images()).toBe(before + 1);
}, 180_000);

interface Answered {
  status: number;
  id?: string;
}

/** Makes one attempt, without a retry. */
async function oneTry(path: string, body: object, key: string): Promise<Answered> {
  const answer = await fetch(`${cluster.gateways[0].origin}/api${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${uploader.bearer}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  const { data } = (await answer.json()) as { data?: { id: string } };
  return { status: answer.status, ...(data ? { id: data.id } : {}) };
}

it('While the majority is stalled, nothing is answered, shown or mailed that a failover can roll back.', async () => {
  const { Share, Message } = cluster.core.models;
  await uploadMore(10);
  const image = (uploads.at(-1) as Uploaded).id;
  const [key, clientId] = [crypto.randomUUID(), crypto.randomUUID()];
  const share = () => oneTry('/sharing/request', { imagemetadataId: image, createdfor: patient.account.id }, key);
  const say = () => oneTry('/message/send', { recipientId: patient.account.id, content: 'Taken back', clientId }, key);
  // The first message of a gateway to a chat is written when a majority has the chat.
  await oneTry('/message/send', { recipientId: patient.account.id, content: 'Before it' }, crypto.randomUUID());
  const tries: Promise<Answered>[] = [];
  await losePrimary(cluster, async () => {
    const isShared = () => Share.exists({ image }).readConcern(NEWEST);
    const isSaid = () => Message.exists({ clientId }).readConcern(NEWEST);
    // Repeats: a try may be refused before it writes.
    const again = async () => {
      const missing = [(await isShared()) ? [] : share, (await isSaid()) ? [] : say].flat();
      tries.push(...missing.map((call) => call()));
      expect(missing).toEqual([]);
    };
    await vi.waitFor(again, { timeout: 60_000, interval: 2_000 });
    tries.push(share(), say());
    // The sweeper searches for pending events every 400 ms, and mails go out within a second.
    await sleep(4_000);
  });
  const answers = (await Promise.all(tries)).filter(({ status }) => status < 300);
  const kept = async (id = '') => (await Share.exists({ _id: oid(id) })) ?? (await Message.exists({ _id: oid(id) }));
  for (const { id } of answers) expect(await kept(id)).not.toBeNull();
  const mailed = cluster.mailbox.mails(patientEmail, 'An image was shared with you');
  for (const { text } of mailed) expect(await kept(/Sharing id: (\w+)/.exec(text)?.[1])).not.toBeNull();
  for (const id of patient.seen.keys()) expect(await kept(id)).not.toBeNull();
  // Repeats with the same keys until the calls succeed.
  for (const again of [share, say]) await eventually(async () => expect((await again()).status).toBeLessThan(300));
  expect(await Share.countDocuments({ image })).toBe(1);
  expect(await Message.countDocuments({ clientId })).toBe(1);
}, 180_000);

it('A chat that is read right after a failover has every acknowledged message.', async () => {
  const { mongodb } = cluster;
  // The followers have every write and do not show it: a new primary is so until a majority confirms its first write.
  const behind = { configureFailPoint: 'disableSnapshotting' };
  const followers = await mongodb.secondaries();
  const set = (mode: string) => Promise.all(followers.map((address) => mongodb.command(address, { ...behind, mode })));
  await set('alwaysOn');
  let read: Promise<void> | undefined;
  try {
    await provider.say(patient.account.id, 'Right before it');
    await mongodb.stepDown();
    let done = false;
    read = expectNothingLost().finally(() => {
      done = true;
    });
    read.catch(() => undefined);
    const first = await mongodb.primary();
    const asks = { currentOp: true, 'command.readConcern.level': 'linearizable' };
    const waits = async () => ((await mongodb.command(first, asks)).inprog as unknown[]).length > 0;
    await eventually(async () => expect(done || (await waits())).toBe(true));
  } finally {
    await set('off');
  }
  await read;
}, 180_000);

it('When Valkey is emptied, all its jobs are still done, and maintenance continues.', async () => {
  const { Share, Session, Notification, Event, AuditEntry } = cluster.core.models;
  // No worker starts a job before Valkey is emptied.
  const still = Promise.all(cluster.workers.map((worker) => worker.freeze(6_000)));
  await Promise.all([12, 15, 18].map(uploadMore));
  await cluster.valkey.empty();
  const [idle, longAgo] = [newId(), new Date(cluster.core.clock.now().getTime() - 24 * 3_600_000)];
  const session = { user: newId(), createAt: longAgo, lastSeenAt: longAgo, generation: 0, rotatedAt: longAgo, ip: '' };
  await Session.create([{ ...session, _id: idle, expiresAt: new Date(Date.now() + 3_600_000) }]);
  await still;
  // Each look reads all files again.
  await settled();
  await vi.waitFor(async () => expect(await unmetUploads()).toEqual([]), { timeout: 90_000, interval: 3_000 });
  const shares = (await Event.find({ type: 'share.create' }).lean()).map((event) => event._id);
  const notices = () => Notification.countDocuments({ event: { $in: shares } });
  await eventually(async () => expect(await notices()).toBe(shares.length));
  await settled();
  expect(await AuditEntry.countDocuments({ type: 'share.create' })).toBe(shares.length);

  const over = oid(uploads.find(({ shareId }) => shareId)?.shareId ?? '');
  await Share.updateOne({ _id: over }, { $set: { expiresAt: cluster.core.clock.now() } });
  await eventually(async () => expect((await Share.findById(over).lean())?.live).toBe(false));
  await eventually(async () => expect((await Session.findById(idle).lean())?.endedAt).toBeDefined());
  await talkDuring(sleep(1_000));
  await expectNothingLost();
}, 600_000);

it('A gateway that gets SIGTERM finishes its requests within ten seconds, and none fails.', async () => {
  const [gateway] = cluster.gateways;
  const upload = await halfUpload(gateway.origin, crypto.randomUUID());
  const ending = gateway.endAndRestart();
  const talking = talkDuring(ending);
  // The gateway accepts no new connection, and the open upload continues.
  await eventually(() => expect(fetch(`${gateway.origin}/healthz`)).rejects.toThrow());
  upload.finish();
  expect(await upload.answered).toBe(201);
  expect(await ending).toBeLessThan(whenBusy(10_000));
  await talking;
  await expectNothingLost();
}, 180_000);

it('A hundred sockets that are disconnected at once reconnect within thirty seconds, and nothing is refused.', async () => {
  const crowd = new Crowd(await tabsOf(cluster, 100));
  await crowd.gather();
  crowd.watch();
  const since = performance.now();
  // Both sides of the chat lose their gateway too.
  const restarted = Promise.all(cluster.gateways.map((gateway) => gateway.killAndRestart()));
  const talking = talkDuring(restarted);
  const [start, figures] = await Promise.all([
    restarted.then(() => performance.now() - since),
    crowd.returned(100, 120_000),
  ]);
  crowd.disperse();
  await talking;
  expect(figures).toMatchObject({ cut: 100, refused: [], failures: [] });
  expect(figures.back.length).toBe(100);
  // Since the gateways are back. How long a start takes depends on the machine, and shows how busy it is.
  expect(Math.max(...figures.back) - start).toBeLessThan(Math.max(30_000, 3 * start));
  // The reconnects are spread out: less than a third of them in any tenth of a second.
  expect(busiest(figures.back, 100)).toBeLessThan(34);
  await expectNothingLost();
}, 600_000);

it('A worker that stood still for longer than its lock changes nothing twice.', async () => {
  const [worker] = cluster.workers;
  const still = worker.freeze(12_000);
  await uploadMore(9);
  await still;
  await settled();
  expect(await unmetUploads()).toEqual([]);
}, 600_000);

it('After all faults the audit chain is intact, every event was handed over, and no blob is without an image.', async () => {
  await settled();
  expect(unmet(await judgeStore(cluster, administrator))).toEqual([]);
}, 600_000);

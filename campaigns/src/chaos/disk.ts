import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@lightbox/contract/errors.js';
import { oid } from '@lightbox/core/db/ids.js';
import { Redis } from 'ioredis';
import { noisePng } from '../bench/files.js';
import { judged, plain, type Row } from '../bench/report.js';
import { Account, type Encounters } from './account.js';
import { type ChatFigures, Chatter } from './chatter.js';
import { admin, type Cluster, startCluster } from './cluster.js';
import { enterPeople, password } from './people.js';
import { SmallDisk } from './smallDisks.js';
import { sha256 } from './uploader.js';
import { judgeChats, judgeStore, settle } from './verdict.js';

const MB = 1024 * 1024;
/** MongoDB allocates about 300 MB of its disk before it stores anything. */
const MONGODB_DISK = { mb: 1_024, grownMb: 1_400 };
const VALKEY_DISK_MB = 64;
const FILE_BYTES = 4 * MB;
const AT_ONCE = 4;
/** The product reads the free space every five seconds. The rest is for a slow machine. */
const RESUMED_MS = 15_000;
const TALK_MS = 5_000;

interface Kept {
  id: string;
  sha256: string;
}

/** The cluster and the people of the campaign. */
interface Scene {
  cluster: Cluster;
  uploader: Account;
  administrator: Account;
  pair: [Chatter, Chatter];
  met: Encounters;
  chat: ChatFigures;
  kept: Kept[];
}

/** Fills the disks of MongoDB and Valkey: with uploads, with another file, and to the last byte. */
export async function disk(): Promise<Row[]> {
  const disks = { mongodb: new SmallDisk(MONGODB_DISK.mb), valkey: new SmallDisk(VALKEY_DISK_MB) };
  const ground = { mongodb: disks.mongodb.folder, valkey: disks.valkey.folder, members: 1 };
  let cluster: Cluster | undefined;
  const tidy = async () => {
    await cluster?.stop();
    for (const one of Object.values(disks)) one.remove();
  };
  const stopEarly = () => tidy().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly);
  process.once('SIGTERM', stopEarly);
  try {
    cluster = await startCluster(ground);
    const scene = await enter(cluster);
    const parts: [string, () => Promise<Row[]>][] = [
      ['another file fills MongoDB’s disk', () => filledByOthers(scene, disks.mongodb)],
      ['uploads fill MongoDB’s disk', () => filledByUploads(scene, disks.mongodb)],
      ['MongoDB’s disk full to the last byte', () => reallyFull(scene, disks.mongodb)],
      ['Valkey’s memory full', () => memoryFull(scene)],
      ['Valkey’s disk full', () => valkeyDiskFull(scene, disks.valkey)],
    ];
    const rows: Row[] = [];
    for (const [name, part] of parts) {
      console.log(`${name} …`);
      rows.push(...(await part()).map((row) => ({ ...row, job: name })));
    }
    rows.push(...(await verdict(scene)));
    for (const side of scene.pair) side.close();
    return rows;
  } finally {
    await tidy();
  }
}

async function enter(cluster: Cluster): Promise<Scene> {
  const met: Encounters = { faults: [], repeats: 0, refused: [] };
  const chat: ChatFigures = { acknowledged: 0, resent: 0, connects: 0, repeatedOnOneSocket: 0, away: [] };
  const origins = cluster.gateways.map(({ origin }) => origin);
  const { providers, patients } = await enterPeople(cluster.core, 2, 1);
  const account = async (turn: number, email: string, secret = password) => {
    const made = new Account(origins, met, turn);
    await made.signIn(email, secret, cluster.mailbox);
    return made;
  };
  const [one, other] = [
    new Chatter(await account(0, providers[0] as string), 'socket', chat),
    new Chatter(await account(1, patients[0] as string), 'post', chat),
  ];
  await Promise.all([one.open(), other.open()]);
  const uploader = await account(0, providers[1] as string);
  const administrator = await account(0, admin.email, admin.password);
  return { cluster, uploader, administrator, pair: [one, other], met, chat, kept: [] };
}

/** Uploads one file without a retry. Returns the answer. */
async function upload({ uploader, kept }: Scene): Promise<{ status: number; error?: string; message?: string }> {
  const file = noisePng(FILE_BYTES);
  const form = new FormData();
  form.set('caption', 'campaign');
  form.set('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'picture.png');
  const answer = await fetch(`${uploader.origin}/api/upload/image`, {
    method: 'POST',
    headers: { authorization: `Bearer ${uploader.bearer}` },
    body: form,
    signal: AbortSignal.timeout(60_000),
  });
  const body = (await answer.json()) as { data: { id: string }; error?: string; message?: string };
  if (answer.status === 201) kept.push({ id: body.data.id, sha256: sha256(file) });
  return { ...body, status: answer.status };
}

/** Uploads files, several at a time, until one is rejected. */
async function uploadUntilRefused(scene: Scene): Promise<Awaited<ReturnType<typeof upload>>[]> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => upload(scene)));
    const refused = answers.filter(({ status }) => status !== 201);
    if (refused.length > 0) return refused;
  }
}

const isFull = ({ status, error, message }: Awaited<ReturnType<typeof upload>>): boolean =>
  status === 507 && error === 'STORAGE_FULL' && message === errors.STORAGE_FULL[1];

/** Returns the milliseconds until an upload is accepted again. */
async function untilTaken(scene: Scene): Promise<number> {
  const since = Date.now();
  while (Date.now() - since < 4 * RESUMED_MS) {
    const { status } = await upload(scene);
    if (status === 201) break;
    await sleep(500);
  }
  return Date.now() - since;
}

/** Both sides send messages for a while. Returns the number of acknowledged ones. */
async function talk({ pair: [one, other], chat }: Scene, ms = TALK_MS): Promise<number> {
  const before = chat.acknowledged;
  const until = Date.now() + ms;
  const say = async (from: Chatter, to: Chatter) => {
    while (Date.now() < until) {
      await from.say(to.account.id, 'Still here');
      await sleep(20);
    }
  };
  await Promise.all([say(one, other), say(other, one)]);
  return chat.acknowledged - before;
}

/** Returns how many acknowledged pictures cannot be read byte for byte. */
async function changed({ uploader, kept }: Scene, of = kept): Promise<number> {
  let count = 0;
  for (const { id, sha256: digest } of of) {
    const bytes = await uploader.bytes(`/upload/image/${id}/content`).catch(() => null);
    if (!bytes || sha256(bytes) !== digest) count++;
  }
  return count;
}

/** Checks that chat and downloads work while uploads are rejected. */
async function goesOn(scene: Scene, refused: Awaited<ReturnType<typeof upload>>[]): Promise<Row[]> {
  const wrong = refused.filter((answer) => !isFull(answer)).length;
  const said = await talk(scene);
  const unread = await changed(scene, scene.kept.slice(-5));
  return [
    judged('', 'uploads rejected without 507 and its text', wrong, '0', wrong === 0),
    judged('', `messages acknowledged meanwhile, in ${TALK_MS / 1000} s`, said, '> 20', said > 20),
    judged('', 'pictures not readable meanwhile, of five', unread, '0', unread === 0),
  ];
}

const resumed = (ms: number): Row =>
  judged('', 'uploads accepted again after, s', ms / 1000, '<= 15', ms <= RESUMED_MS);

async function filledByOthers(scene: Scene, mongodb: SmallDisk): Promise<Row[]> {
  for (let n = 0; n < 5; n++) await upload(scene);
  mongodb.fill(90);
  const rows = await goesOn(scene, await uploadUntilRefused(scene));
  mongodb.empty();
  return [...rows, resumed(await untilTaken(scene))];
}

async function filledByUploads(scene: Scene, mongodb: SmallDisk): Promise<Row[]> {
  const before = scene.kept.length;
  const refused = await uploadUntilRefused(scene);
  const free = mongodb.freeMb;
  const rows = await goesOn(scene, refused);
  const taken = scene.kept.length - before;
  mongodb.grow(MONGODB_DISK.grownMb);
  return [
    plain('', `uploads of ${FILE_BYTES / MB} MB accepted before`, String(taken)),
    // The reserve is a tenth of the disk. Other writes during the last uploads may use a little of it.
    judged('', 'free space left, MB', free, '>= 50', free >= 50),
    ...rows,
    resumed(await untilTaken(scene)),
  ];
}

async function reallyFull(scene: Scene, mongodb: SmallDisk): Promise<Row[]> {
  const { cluster, met } = scene;
  const address = await cluster.mongodb.primary();
  const faults = met.faults.length;
  mongodb.fill();
  // Chat continues while MongoDB has allocated space left. Then everything waits.
  const talking = talk(scene, 20_000);
  const statuses = new Map<number, number>();
  const until = Date.now() + 20_000;
  while (Date.now() < until) {
    const { status } = await upload(scene);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    await sleep(250);
  }
  const alive = await cluster.mongodb.command(address, { ping: 1 }).then(
    () => true,
    () => false,
  );
  mongodb.empty();
  const since = Date.now();
  // Starts MongoDB again if it ended, as a supervisor does.
  if (!alive) await cluster.mongodb.killAndRestart(address);
  const said = await talking;
  await untilTaken(scene);
  const back = Date.now() - since;
  // An upload that still found space counts as a success.
  const others = [...statuses.keys()].filter((status) => ![201, 503, 507].includes(status)).length;
  const lost = await changed(scene);
  return [
    plain('', 'MongoDB', alive ? 'stayed up' : 'ended, and was started again'),
    plain('', 'uploads answered', [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')),
    judged('', 'uploads answered otherwise than 201, 503 or 507', others, '0', others === 0),
    plain('', 'messages acknowledged', String(said)),
    judged('', 'other answers 5xx', met.faults.length - faults, '0', met.faults.length === faults),
    judged('', 'uploads accepted again after, s', back / 1000, '<= 30', back <= 30_000),
    judged('', `of ${scene.kept.length} pictures lost or changed`, lost, '0', lost === 0),
  ];
}

async function memoryFull(scene: Scene): Promise<Row[]> {
  const redis = new Redis(scene.cluster.valkey.uri);
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', String(Math.floor(used / 2)));
  const rows = await withoutQueues(scene, async () => {
    await redis.config('SET', 'maxmemory', '0');
  });
  redis.disconnect();
  return rows;
}

async function valkeyDiskFull(scene: Scene, valkey: SmallDisk): Promise<Row[]> {
  valkey.fill();
  return withoutQueues(scene, async () => valkey.empty());
}

/** Valkey rejects writes: calls still succeed, and their jobs wait until there is space again. */
async function withoutQueues(scene: Scene, free: () => Promise<void>): Promise<Row[]> {
  const { cluster, met } = scene;
  const faults = met.faults.length;
  const since = scene.kept.length;
  // Valkey notices a failed write of its file only a second later.
  await talk(scene, 3_000);
  const said = await talk(scene);
  const answers = await Promise.all([upload(scene), upload(scene)]);
  await sleep(2_000);
  const pending = await cluster.core.models.Event.countDocuments({ pending: true });
  const refusal = await cluster.core.queues.all.maintenance.add('removeBlob', {}, { jobId: 'none' }).then(
    () => 'accepted',
    ({ message }: Error) => message.split(' ')[0] as string,
  );
  await free();
  const took = await settle(cluster, 60_000);
  const images = scene.kept.slice(since).map(({ id }) => oid(id));
  const drawn = async () => cluster.core.models.Image.countDocuments({ _id: { $in: images }, preview: 'ready' });
  const deadline = Date.now() + 30_000;
  while ((await drawn()) < images.length && Date.now() < deadline) await sleep(200);
  const missing = images.length - (await drawn());
  const taken = answers.filter(({ status }) => status === 201).length;
  return [
    plain('', 'a new job was', refusal === 'accepted' ? 'accepted' : `refused: ${refusal}`),
    judged('', 'messages acknowledged meanwhile', said, '> 20', said > 20),
    judged('', 'uploads accepted meanwhile', taken, '2', taken === 2),
    judged('', 'events that waited', pending, '> 0', pending > 0),
    judged('', 'all work done after, s', took / 1000, '<= 30', took <= 30_000),
    judged('', 'previews of these uploads not drawn', missing, '0', missing === 0),
    judged('', 'answers 5xx other than 503, 507', met.faults.length - faults, '0', met.faults.length === faults),
  ];
}

async function verdict(scene: Scene): Promise<Row[]> {
  const { cluster, kept, pair, administrator, met } = scene;
  await settle(cluster, 60_000);
  const lost = await changed(scene);
  for (const fault of new Set(met.faults)) console.log(`  fault: ${fault}`);
  return [
    judged('after all faults', `of ${kept.length} pictures lost or changed`, lost, '0', lost === 0),
    ...(await judgeChats([pair])),
    ...(await settle(cluster, 30_000).then(() => judgeStore(cluster, administrator))),
  ];
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@lightbox/contract/messages/calls.js';
import type { Socket } from 'socket.io-client';
import { bySocket, connect, type Pair, sendAtRate, watchArrivals } from './chat.js';
import { call, data } from './client.js';
import { noisePng, uploadForm } from './files.js';
import { residentMiB } from './memory.js';
import { type Person, signInPeople } from './people.js';
import { judged, plain, type Row } from './report.js';
import type { Site } from './site.js';
import { median } from './stats.js';
import { productTarget, uploadTo } from './uploads.js';

const PAIRS = 10;
const MESSAGES_PER_SECOND = 40;
const FILE_BYTES = 200 * 1024;
const UPLOAD_GAP_MS = 500;
const READ_GAP_MS = 100;
const SAMPLE_MS = 5_000;
/** The memory may differ so much between the second and the last third of the time: the collector is not on time. */
const GROWTH = 1.1;

/** Uses everything at a moderate rate for some minutes: nothing is lost or refused, and the memory stays. */
export async function benchSoak(site: Site, minutes: number): Promise<Row[]> {
  const providers = await signInPeople(site, 'healthProvider', PAIRS);
  const patients = await signInPeople(site, 'patient', PAIRS);
  const pairs = providers.map((from, i): Pair => ({ from, to: patients[i] as Person }));
  const end = Date.now() + minutes * 60_000;
  const memory = new Map(
    [...site.gateways, site.worker].map(({ pid }, i) => [
      i < 2 ? `gateway ${i + 1}` : 'worker',
      { pid, samples: [] as number[] },
    ]),
  );
  const watching = setInterval(() => {
    for (const { pid, samples } of memory.values()) samples.push(residentMiB(pid));
  }, SAMPLE_MS);
  const [chat, uploads, reads] = await Promise.all([
    chatUntil(site, pairs, end),
    uploadUntil(site, providers[0] as Person, end),
    readUntil(site, providers[0] as Person, end),
  ]);
  clearInterval(watching);
  const job = `soak of ${minutes} min`;
  return [
    judged(job, `messages lost of ${chat.sent}`, chat.lost, '0', chat.lost === 0),
    judged(job, `uploads lost of ${uploads.sent}`, uploads.lost, '0', uploads.lost === 0),
    judged(job, `failed reads of ${reads.sent}`, reads.failed, '0', reads.failed === 0),
    ...[...memory].flatMap(([name, { samples }]) => memoryRows(job, name, samples)),
  ];
}

function memoryRows(job: string, name: string, samples: number[]): Row[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(-third)].map(median) as [number, number];
  return [
    plain(job, `${name}, MiB in the second / last third`, `${middle.toFixed(0)} / ${last.toFixed(0)}`),
    judged(job, `${name}, growth`, last / middle, `<= ${GROWTH}`, last / middle <= GROWTH),
  ];
}

async function chatUntil(site: Site, pairs: Pair[], end: number) {
  const arrivals = new Map<string, number>();
  const [near, far] = site.gateways;
  const senders = await Promise.all(pairs.map(({ from }) => connect(near, from)));
  const receivers = await Promise.all(pairs.map(({ to }, i) => connect(i % 2 ? far : near, to)));
  for (const [i, { to }] of pairs.entries()) {
    const receiver = receivers[i] as Socket;
    watchArrivals(receiver, to, arrivals);
    reportArrivals(receiver, to);
  }
  let sent = 0;
  let lost = 0;
  while (Date.now() < end) {
    const planned = await sendAtRate(pairs, senders.map(bySocket), { perSecond: MESSAGES_PER_SECOND, seconds: 5 });
    const patience = Date.now() + 10_000;
    while (arrivals.size < planned.size && Date.now() < patience) await sleep(20);
    sent += planned.size;
    lost += planned.size - arrivals.size;
    arrivals.clear();
  }
  for (const socket of [...senders, ...receivers]) socket.disconnect();
  return { sent, lost };
}

/** Tells the sender of each message, as a browser does. It also keeps the session: one that does nothing ends after half an hour. */
function reportArrivals(socket: Socket, person: Person): void {
  socket.on('message:new', ({ id, recipientId }: Message) => {
    if (recipientId === person.id) socket.emit('message:delivered', { ids: [id] });
  });
}

/** Signs new tokens of a person's session: an access token ends before a long soak does. */
function tokensOf({ tokens }: Site, { id, token }: Person): () => string {
  const { rid } = tokens.verify(token, 'access');
  return () => tokens.access(id, rid);
}

/** Uploads until the end. An upload is lost when the image cannot be read afterwards. */
async function uploadUntil(site: Site, person: Person, end: number) {
  const newToken = tokensOf(site, person);
  const ids: string[] = [];
  let refused = 0;
  while (Date.now() < end) {
    const form = uploadForm(noisePng(FILE_BYTES), 'image/png');
    await uploadTo(productTarget(site, { ...person, token: newToken() }), form).then(
      ({ id }) => ids.push(id),
      () => refused++,
    );
    await sleep(UPLOAD_GAP_MS);
  }
  let lost = refused;
  for (const id of ids) {
    const { status } = await call(`${site.gateways[1].api}/upload/image/${id}/content`, { token: newToken() });
    if (status !== 200) lost++;
  }
  return { sent: ids.length + refused, lost };
}

async function readUntil(site: Site, person: Person, end: number) {
  const newToken = tokensOf(site, person);
  let sent = 0;
  let failed = 0;
  const paths = ['/upload/my-images', '/message/chat-list', '/notifications', '/audit/logs', '/users?limit=20'];
  while (Date.now() < end) {
    const { api } = site.gateways[sent % 2] as { api: string };
    await data(call(`${api}${paths[sent % paths.length]}`, { token: newToken() })).catch(() => failed++);
    sent++;
    await sleep(READ_GAP_MS);
  }
  return { sent, failed };
}

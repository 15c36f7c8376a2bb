import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import { searchFields } from '@lightbox/core/users/search.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { emptyDatabase } from '@lightbox/testkit/config.js';
import type {} from '@lightbox/testkit/globalSetup.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { type RunningProcess, startProcess } from './testing.js';

/** Two gateways and a worker as separate processes: a share that is revoked at one gateway has no effect at the other. */
let urls: [one: string, two: string];
let running: RunningProcess[] = [];
let worker: RunningProcess | undefined;
let workerEnv: Record<string, string>;
let mailbox: Mailbox;
let db: Awaited<ReturnType<typeof connectDatabase>>;

const password = 'Granite-Willow-77';
const admin = { email: 'chief@hospital.test', password: 'Harbour-Lantern-42' };
const picture = readFileSync(join(import.meta.dirname, '../../backend/assets/demo/hand-xray.jpg'));
/** The time from the end of a share to the live update and to the refusal of every address of the image. */
const promiseMs = () => whenBusy(2_000);

// Each test has a picture drawn, which comes after everything else on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const CUT_MS = 1_000;

interface Person {
  id: string;
  token: string;
}
let owner: Person;
let patient: Person;
let provider: Person;
let chief: Person;

beforeAll(async () => {
  const { redisUrl, folder } = inject('servers');
  const mongodbUri = await emptyDatabase();
  mailbox = await startMailbox();
  const env = {
    MONGODB_URI: mongodbUri,
    // No other test file uses the last databases: each uses the number of its Vitest worker.
    REDIS_URL: `${redisUrl}/62`,
    SMTP_URL: mailbox.url,
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    PUBLIC_URL: 'http://localhost:3999',
    RATE_LIMITS: 'off',
    DEMO: '0',
    LOG_LEVEL: 'silent',
  };
  const ports = [await freePort(), await freePort()] as const;
  urls = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`];
  for (const port of ports) {
    running.push(
      await startProcess('backend', { ...env, PORT: String(port), DATA_DIR: join(folder, `gateway-${port}`) }),
    );
  }
  workerEnv = { ...env, DATA_DIR: join(folder, 'revocation-worker') };
  worker = await startProcess('workers', workerEnv);
  db = await connectDatabase({ mongodbUri });
  await Promise.all([enter('patient', 'mina'), enter('healthProvider', 'sana'), enter('healthProvider', 'omar')]);
  [patient, owner, provider, chief] = await Promise.all([
    signIn('mina@hospital.test'),
    signIn('sana@hospital.test'),
    signIn('omar@hospital.test'),
    signIn(admin.email, admin.password),
  ]);
}, 300_000);

afterAll(async () => {
  await Promise.all([...running, ...(worker ? [worker] : [])].map((one) => one.stop()));
  running = [];
  await db?.close();
  await mailbox?.stop();
});

async function enter(role: string, username: string): Promise<void> {
  const names = { username, firstname: username, lastname: 'Test', email: `${username}@hospital.test` };
  await db.collection('users').insertOne({
    _id: newId(),
    ...names,
    usernameKey: username,
    passwordHash: await hashPassword(password),
    role,
    status: 'active',
    active: true,
    ...searchFields(names),
    createAt: new Date(),
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the body of any answer; each test checks the fields that it needs.
type Answer = { status: number; data: any };

async function call(
  method: string,
  path: string,
  who?: { token: string },
  body?: unknown,
  at = urls[0],
): Promise<Answer> {
  const form = body instanceof FormData;
  const answer = await fetch(`${at}/api${path}`, {
    method,
    headers: {
      ...(who ? { Authorization: `Bearer ${who.token}` } : {}),
      ...(body && !form ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  const json = answer.headers.get('content-type')?.includes('json');
  return { status: answer.status, data: json ? JSON.parse(text).data : undefined };
}

async function mailed(to: string, subject: string, label: string, n = 1): Promise<string> {
  const mails = await mailbox.waitFor(to, subject, n);
  return new RegExp(`^${label}: (\\S+)\\s*$`, 'm').exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
}

async function signIn(email: string, secret = password): Promise<Person> {
  const n = mailbox.mails(email, 'Your verification code').length + 1;
  const { data } = await call('POST', '/auth/login', undefined, { email, password: secret });
  const code = await mailed(email, 'Your verification code', 'Code', n);
  const confirmed = await call('POST', '/auth/confirm', data, { code });
  return { id: confirmed.data.user.id, token: confirmed.data.token };
}

/** Opens a socket of the other person at the other gateway, and stores its events. */
async function watch({ token }: Person): Promise<{ socket: Socket; heard: Map<string, number>; payloads: unknown[] }> {
  const socket = io(urls[1], { auth: { token }, transports: ['websocket'], reconnection: false });
  const heard = new Map<string, number>();
  const payloads: unknown[] = [];
  socket.onAny((event: string, payload: unknown) => {
    heard.set(event, Date.now());
    payloads.push(payload);
  });
  socket.on('disconnect', () => heard.set('disconnect', Date.now()));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve());
    socket.once('connect_error', reject);
  });
  return { socket, heard, payloads };
}

async function upload(): Promise<string> {
  const form = new FormData();
  form.set('caption', 'Left hand');
  form.set('file', new Blob([picture]), 'hand.jpg');
  const { data } = await call('POST', '/upload/image', owner, form);
  const ready = async () => (await call('GET', `/upload/image/${data.id}`, owner)).data.image_url !== null;
  await expect.poll(ready).toBe(true);
  return data.id;
}

const emails = () =>
  new Map([[patient.id, 'mina@hospital.test'] as const, [provider.id, 'omar@hospital.test'] as const]);

/** Shares the image and enters the code as the recipient. */
async function shareWith(imageId: string, recipient: Person): Promise<string> {
  const email = emails().get(recipient.id) ?? '';
  const n = mailbox.mails(email, 'An image was shared with you').length + 1;
  const wanted = { imagemetadataId: imageId, createdfor: recipient.id };
  const { data } = await call('POST', '/sharing/request', owner, wanted);
  const verificationCode = await mailed(email, 'An image was shared with you', 'Code', n);
  const verified = await call('POST', '/sharing/verify', recipient, { sharingRequestId: data.id, verificationCode });
  expect(verified.status).toBe(200);
  return data.id;
}

const addresses = (imageId: string) => ['', '/content', '/preview'].map((path) => `/upload/image/${imageId}${path}`);
/** Returns the statuses of every address of the image on the gateways. */
async function statuses(imageId: string, who: Person, at: string[] = urls): Promise<number[]> {
  const asked = at.flatMap((url) => addresses(imageId).map((path) => call('GET', path, who, undefined, url)));
  return [...new Set((await Promise.all(asked)).map(({ status }) => status))];
}

let imageId: string;
beforeEach(async () => {
  imageId = await upload();
}, 300_000);

it('A revoked share is announced on the other gateway and refused everywhere within two seconds.', async () => {
  const share = await shareWith(imageId, patient);
  const open = await watch(patient);
  expect(await statuses(imageId, patient)).toEqual([200]);
  const at = Date.now();
  await call('DELETE', `/sharing/${share}`, owner);
  // The gateway that answered refuses at once. The other one may not have heard of it yet.
  expect(await statuses(imageId, patient, urls.slice(0, 1))).toEqual([404]);
  await expect.poll(() => statuses(imageId, patient), { interval: 10 }).toEqual([404]);
  expect(Date.now() - at).toBeLessThan(promiseMs());
  await expect.poll(() => open.heard.has('share:revoked'), { interval: 10 }).toBe(true);
  expect((open.heard.get('share:revoked') ?? 0) - at).toBeLessThan(promiseMs());
  open.socket.close();
});

it('An expired share is refused at once, and announced within two seconds.', async () => {
  const share = await shareWith(imageId, patient);
  const open = await watch(patient);
  const end = Date.now() + whenBusy(1_500);
  await db.collection('shares').updateOne({ _id: oid(share) }, { $set: { expiresAt: new Date(end) } });
  expect(await statuses(imageId, patient)).toEqual([200]);
  await expect.poll(() => Date.now() >= end, { interval: 10 }).toBe(true);
  expect(await statuses(imageId, patient)).toEqual([404]);
  await expect.poll(() => open.heard.has('share:expired'), { interval: 10 }).toBe(true);
  expect((open.heard.get('share:expired') ?? 0) - end).toBeLessThan(promiseMs());
  open.socket.close();
});

it('A deleted image is announced and refused within two seconds.', async () => {
  await shareWith(imageId, patient);
  const open = await watch(patient);
  const at = Date.now();
  await call('DELETE', `/upload/image/${imageId}`, owner);
  expect(await statuses(imageId, patient, urls.slice(0, 1))).toEqual([404]);
  await expect.poll(() => statuses(imageId, patient), { interval: 10 }).toEqual([404]);
  expect(Date.now() - at).toBeLessThan(promiseMs());
  await expect.poll(() => open.heard.has('image:deleted'), { interval: 10 }).toBe(true);
  expect((open.heard.get('image:deleted') ?? 0) - at).toBeLessThan(promiseMs());
  open.socket.close();
});

it('The timeline of an image is updated live for its owner on the other gateway.', async () => {
  const open = await watch(owner);
  await shareWith(imageId, patient);
  await call('GET', `/upload/image/${imageId}/content`, patient);
  const rows = async () => {
    const { data } = await call('GET', `/upload/image/${imageId}/timeline?limit=2`, owner);
    return data.map((row: { actiontype: string }) => row.actiontype);
  };
  await expect.poll(rows).toEqual(['image.content', 'share.verify']);
  await expect.poll(() => open.heard.has('image:activity')).toBe(true);
  open.socket.close();
});

it('An analysis is not delivered to a person whose share was revoked while it waited.', async () => {
  const share = await shareWith(imageId, provider);
  await worker?.stop();
  const [asked, mine] = [await watch(provider), await watch(owner)];
  expect((await call('GET', `/analyze/${imageId}`, provider)).status).toBe(202);
  await call('DELETE', `/sharing/${share}`, owner);
  worker = await startProcess('workers', workerEnv);
  await expect.poll(() => mine.heard.has('analysis:completed')).toBe(true);
  const noticeKinds = async () =>
    (await call('GET', '/notifications', owner)).data.map((one: { kind: string }) => one.kind);
  await expect.poll(noticeKinds).toContain('analysis.completed');
  expect([...asked.heard.keys()].filter((event) => event.startsWith('analysis:'))).toEqual([]);
  const kinds = (await call('GET', '/notifications', provider)).data.map((one: { kind: string }) => one.kind);
  expect(kinds).not.toContain('analysis.completed');
  expect((await call('GET', `/analyze/${imageId}`, provider)).status).toBe(404);
  for (const { socket } of [asked, mine]) socket.close();
}, 300_000);

it('A deactivated account loses its sockets and sessions within a second, and can open nothing.', async () => {
  await shareWith(imageId, provider);
  const open = await watch(provider);
  await call('PUT', `/users/toggleUserStatus/${provider.id}`, chief);
  const at = Date.now();
  // The gateway that answered refuses at once. The other one may not have heard of it yet.
  expect(await statuses(imageId, provider, urls.slice(0, 1))).toEqual([401]);
  await expect.poll(() => statuses(imageId, provider), { interval: 10 }).toEqual([401]);
  expect(Date.now() - at).toBeLessThan(whenBusy(CUT_MS));
  await expect.poll(() => open.heard.has('disconnect'), { interval: 10 }).toBe(true);
  expect((open.heard.get('disconnect') ?? 0) - at).toBeLessThan(whenBusy(CUT_MS));
  expect(open.payloads).toContainEqual({ reason: 'deactivated' });
});

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, connectSocket } from '@lightbox/backend/testing/client.js';
import { formType, noisePng, uploadForm } from '@lightbox/campaigns/bench/files.js';
import { enterPeople, password } from '@lightbox/campaigns/chaos/people.js';
import { type Core, createCore } from '@lightbox/core/core.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { removeOrphanBlobs } from '@lightbox/workers/maintenance/orphans.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningProcess, startProcess } from './testing.js';

/** Gateways with wrong clocks and one with the right clock (security.md, R71). */
const HOUR_MS = 3_600_000;
const shifts = { right: 0, ahead: 2 * HOUR_MS, behind: -2 * HOUR_MS, yesterday: -24 * HOUR_MS };
type Name = keyof typeof shifts;
const names = Object.keys(shifts) as Name[];
/** The error of a reading of MongoDB's clock on a busy machine. */
const NOISE_MS = 5_000;

const urls = {} as Record<Name, string>;
const processes: RunningProcess[] = [];
let folder: string;
let mailbox: Mailbox;
/** The core of a process with the right clock. */
let core: Core;
let provider: SignedIn;
let patient: SignedIn;

interface SignedIn {
  id: string;
  email: string;
  token: string;
  cookies: string[];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-clocks-'));
  mailbox = await startMailbox();
  const config = await testConfig({ smtpUrl: mailbox.url });
  const env = {
    MONGODB_URI: config.mongodbUri,
    REDIS_URL: config.redisUrl,
    SMTP_URL: mailbox.url,
    APP_KEYS: config.appKeys,
    ENCRYPTION_KEYS: config.encryptionKeys,
    ADMIN_EMAIL: 'admin@clocks.example',
    ADMIN_PASSWORD: password,
    DATA_DIR: folder,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
  };

  const startGateway = async (name: Name) => {
    const port = await freePort();
    urls[name] = `http://127.0.0.1:${port}`;
    const shift = { NODE_OPTIONS: `--import=${shiftClock}`, CLOCK_SHIFT_MS: String(shifts[name]) };
    processes.push(await startProcess('backend', { ...env, PORT: String(port), ...shift }));
  };
  await Promise.all([
    ...names.map(startGateway),
    startProcess('workers', { ...env, WORKER_QUEUES: 'mail,notifications,audit,maintenance' }).then((worker) =>
      processes.push(worker),
    ),
  ]);

  core = await createCore(config, 'clocks');
  const people = await enterPeople(core, 1, 1);
  provider = await signIn(people.providers[0] as string, 'right', 'yesterday');
  patient = await signIn(people.patients[0] as string, 'behind', 'ahead');
});
afterAll(async () => {
  await core?.close();
  await Promise.all(processes.map((each) => each.stop()));

  await mailbox?.stop();
  rmSync(folder, { recursive: true, force: true });
});
const shiftClock = join(import.meta.dirname, '../../testkit/dist/shiftClock.js');

const at = (name: Name, who?: SignedIn) => new Client(urls[name], who?.token ?? null);

/** Signs in with the password at one gateway and with the mailed code at another. */
async function signIn(email: string, first: Name, second: Name): Promise<SignedIn> {
  const before = mailbox.mails(email).length;
  const { body } = await at(first).post('/auth/login', { email, password }).expect(200);
  const mails = await mailbox.waitFor(email, 'Your verification code', before + 1);
  const code = /^Code: (\d{6})$/m.exec(mails.at(-1)?.text ?? '')?.[1];
  const confirmed = await at(second).as(body.data.token).post('/auth/confirm', { code }).expect(200);
  const { data } = confirmed.body;
  return { id: data.user.id, email, token: data.token, cookies: confirmed.get('Set-Cookie') ?? [] };
}

const fromNow = (time: string | Date): number => Math.abs(new Date(time).getTime() - Date.now());

it('Each process has its shifted clock, and cookies have no expiry date that depends on it if browsers support that.', async () => {
  for (const name of names) {
    const [cookie = ''] = (await signIn(provider.email, 'right', name)).cookies;
    const [, maxAge, expires = ''] = /Max-Age=(\d+);.*Expires=([^;]+)/.exec(cookie) ?? [];
    expect(Number(maxAge)).toBe(12 * 3600);
    expect(fromNow(new Date(Date.parse(expires) - shifts[name] - 12 * HOUR_MS))).toBeLessThan(whenBusy(NOISE_MS));
  }
});

it('A token made on one gateway is valid on every other, for the same time.', async () => {
  for (const [i, name] of names.entries()) {
    const { token } = await signIn(provider.email, names[(i + 1) % names.length] as Name, name);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    expect(fromNow(new Date(claims.iat * 1000))).toBeLessThan(whenBusy(NOISE_MS));
    for (const other of names) await at(other).as(token).get('/users/profile').expect(200);
  }
});

it('Messages keep their order and their times, whichever gateway accepts them.', async () => {
  const contents = Array.from({ length: 12 }, (_, i) => `Message ${i}`);
  for (const [i, content] of contents.entries()) {
    const client = at(names[(i + 3) % names.length] as Name, provider);
    await client.post('/message/send', { recipientId: patient.id, content }).expect(201);
  }
  for (const name of names) {
    const { body } = await at(name, patient).get(`/message/chat/${provider.id}`).expect(200);
    const messages = (body.data as { seq: number; content: string; createAt: string }[]).sort((a, b) => a.seq - b.seq);
    expect(messages.map(({ content }) => content)).toEqual(contents);
    const times = messages.map(({ createAt }) => Date.parse(createAt));
    expect(Math.max(...times.map((time) => fromNow(new Date(time))))).toBeLessThan(whenBusy(10_000));
    const since = (await at(name, patient).get('/message/since').expect(200)).body.data.messages;
    expect(since).toHaveLength(contents.length);
  }
});

it.each(names)(
  'A person connected to the gateway whose clock is %s is shown as online by all gateways.',
  async (name) => {
    const { socket } = await connectSocket(urls[name], { token: patient.token });
    try {
      for (const other of names) {
        const seen = async () =>
          (await at(other, provider).get('/message/chat-list').expect(200)).body.data[0].user.online;
        await eventually(async () => expect(await seen(), other).toBe(true));
      }
    } finally {
      socket.close();
    }
  },
);

it('A share made at any gateway ends at all gateways at the same moment, by MongoDB’s clock.', async () => {
  for (const name of ['ahead', 'yesterday'] as const) {
    const { body } = await at(name, provider).upload(noisePng(20_000)).expect(201);
    const image = body.data.id;
    const wanted = { imagemetadataId: image, createdfor: patient.id, expiresInHours: 1 };
    const n = mailbox.mails(patient.email, 'An image was shared with you').length + 1;
    const share = (await at(name, provider).post('/sharing/request', wanted).expect(201)).body.data;
    expect(fromNow(new Date(Date.parse(share.expiresAt) - HOUR_MS))).toBeLessThan(whenBusy(NOISE_MS));
    const mails = await mailbox.waitFor(patient.email, 'An image was shared with you', n);
    const verificationCode = /^Code: (\d{6})$/m.exec(mails.at(-1)?.text ?? '')?.[1];
    await at('yesterday', patient)
      .post('/sharing/verify', { sharingRequestId: share.id, verificationCode })
      .expect(200);
    const statuses = () =>
      Promise.all(
        names.map((other) =>
          at(other, patient)
            .get(`/upload/image/${image}/content`)
            .then(({ status }) => status),
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const expiresAt = new Date(Date.now() + 1_000);
    await core.models.Share.updateOne({ _id: share.id }, { $set: { expiresAt } });
    await eventually(async () => expect(await statuses()).toEqual([404, 404, 404, 404]));
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  }
});

it.each(names)(
  'A running upload at the gateway whose clock is %s is not treated as an interrupted one.',
  async (name) => {
    const form = uploadForm(noisePng(5_000_000), 'image/png');
    const chunks = () => core.db.collection('blobs.chunks').countDocuments({});
    const before = await chunks();
    const headers = {
      authorization: `Bearer ${provider.token}`,
      'content-type': formType,
      'content-length': form.length,
      'idempotency-key': randomUUID(),
    };
    const upload = request(`${urls[name]}/api/upload/image`, { method: 'POST', headers });
    const answered = new Promise<{ status: number; id: string }>((resolve, reject) => {
      upload.once('error', reject);
      upload.once('response', async (answer) => {
        const body = JSON.parse(Buffer.concat(await answer.toArray()).toString());
        resolve({ status: answer.statusCode ?? 0, id: body.data?.id });
      });
    });
    upload.write(form.subarray(0, form.length / 2));
    await eventually(async () => expect(await chunks()).toBeGreaterThan(before));
    await removeOrphanBlobs(core);
    // A blob that was taken for abandoned goes now.
    const later = { now: () => new Date(core.clock.now().getTime() + 120_000) };
    await removeOrphanBlobs(Object.assign(Object.create(core), { clock: later }));
    upload.end(form.subarray(form.length / 2));
    const { status, id } = await answered;
    expect(status).toBe(201);
    const { body } = await at(name, provider).get(`/upload/image/${id}/content`).buffer().expect(200);
    expect(body.length).toBeGreaterThan(4_900_000);
  },
  30_000,
);

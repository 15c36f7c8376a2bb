import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { oid } from '@lightbox/core/db/ids.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { type RunningWorker, startWorker } from '@lightbox/workers/worker.js';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A gateway and a worker, which need each other for most features. `revocation.long.test.ts` runs them as separate processes. */
let url: string;
let mailbox: Mailbox;
let test: TestGateway;
let worker: RunningWorker | undefined;

const admin = { email: 'chief@hospital.test', password: 'Harbour-Lantern-42' };
const password = 'Granite-Willow-77';
const picture = readFileSync(join(import.meta.dirname, '../../backend/assets/demo/hand-xray.jpg'));

beforeAll(async () => {
  mailbox = await startMailbox();
  test = await joinGateway(await testConfig({ admin, smtpUrl: mailbox.url }));
  url = test.url;
});

afterAll(async () => {
  await worker?.stop();
  await test?.stop();
  await mailbox?.stop();
});

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any answer; each test checks the fields that it needs.
  data: any;
}

async function call(method: string, path: string, token?: string, body?: unknown): Promise<Answer> {
  const form = body instanceof FormData;
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body && !form ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
  });
  const { data } = (await answer.json()) as { data: unknown };
  return { status: answer.status, data };
}

/** Waits for the latest mail of its kind. Returns the value of its line with this label. */
async function mailed(to: string, subject: string, label: string, n = 1): Promise<string> {
  const mails = await mailbox.waitFor(to, subject, n);
  const line = (mails.at(-1)?.text ?? '').split(/\r?\n/).find((text) => text.startsWith(`${label}: `));
  return line?.slice(label.length + 2) ?? '';
}

const CODE = 'Your verification code';
const SHARED = 'An image was shared with you';

async function signIn(email: string, secret: string, n = 1): Promise<string> {
  const { data } = await call('POST', '/auth/login', undefined, { email, password: secret });
  const code = await mailed(email, CODE, 'Code', n);
  expect(code).toMatch(/^\d{6}$/);
  return (await call('POST', '/auth/confirm', data.token, { code })).data.token;
}

const person = (role: string, name: string) => ({
  email: `${name}@hospital.test`,
  username: name,
  password,
  role,
  firstname: 'Planted-Firstname',
  lastname: 'Planted-Lastname',
});

function connect(token: string): Promise<{ socket: Socket; next: (event: string) => Promise<unknown> }> {
  const socket = io(url, { auth: { token }, transports: ['websocket'], reconnection: false });
  const seen = new Map<string, unknown>();
  socket.onAny((event: string, payload: unknown) => seen.set(event, payload));
  const next = async (event: string) => {
    await expect.poll(() => seen.has(event), { message: event }).toBe(true);
    return seen.get(event);
  };
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve({ socket, next }));
    socket.once('connect_error', reject);
  });
}

describe('from registration to deletion', () => {
  let patient: { id: string; token: string };
  let provider: string;
  let chief: string;
  let imageId: string;

  it('A code that is requested while no worker runs is mailed when one runs.', async () => {
    const given = person('patient', 'mina');
    const registered = await call('POST', '/auth/register', undefined, given);
    expect(registered.status).toBe(201);
    expect(mailbox.mails(given.email)).toEqual([]);
    worker = await startWorker(test.config);
    await worker.ready;
    const code = await mailed(given.email, CODE, 'Code');
    const confirmed = await call('POST', '/auth/confirm', registered.data.token, { code });
    expect(confirmed.status).toBe(200);
    patient = { id: registered.data.user.id, token: confirmed.data.token };
  });

  it('Only a mail reveals that a registered address already has an account.', async () => {
    await call('POST', '/auth/register', undefined, { ...person('patient', 'other'), email: 'mina@hospital.test' });
    await mailbox.waitFor('mina@hospital.test', 'You already have an account');
    expect(mailbox.mails('mina@hospital.test', CODE)).toHaveLength(1);
  });

  it('Admins are notified of a new provider, and approve the account.', async () => {
    const given = person('healthProvider', 'sana');
    expect((await call('POST', '/auth/register', undefined, given)).data.user.status).toBe('pending');
    chief = await signIn(admin.email, admin.password);
    const latestNotice = async () => (await call('GET', '/notifications', chief)).data[0]?.kind;
    await expect.poll(latestNotice).toBe('provider.registered');
    expect((await call('POST', '/users/approve-provider', chief, { email: given.email })).status).toBe(200);
    await mailbox.waitFor(given.email, 'Your account was approved');
    provider = await signIn(given.email, password);
  });

  it('An image for a patient gets a preview, and the patient gets a code.', async () => {
    const form = new FormData();
    form.set('caption', 'Planted-Caption');
    form.set('patientId', patient.id);
    form.set('file', new Blob([picture]), 'hand.jpg');
    const uploaded = await call('POST', '/upload/image', provider, form);
    expect(uploaded.status).toBe(201);
    imageId = uploaded.data.id;
    const url = async () => (await call('GET', `/upload/image/${imageId}`, provider)).data.image_url;
    await expect.poll(url).toMatch(/^data:image\/webp;base64,/);
    const latestNotice = async () => (await call('GET', '/notifications', patient.token)).data[0]?.kind;
    await expect.poll(latestNotice).toBe('share.created');

    const sharingRequestId = await mailed('mina@hospital.test', SHARED, 'Sharing id');
    const verificationCode = await mailed('mina@hospital.test', SHARED, 'Code');
    expect(await mailed('mina@hospital.test', SHARED, 'Link')).toMatch(/^http:\/\/localhost:/);
    const verify = { sharingRequestId, verificationCode };
    const owner = await connect(provider);
    expect((await call('POST', '/sharing/verify', patient.token, verify)).status).toBe(200);
    expect(await owner.next('share:verified')).toMatchObject({ sharingRequestId, imagemetadataId: imageId });
    owner.socket.close();
    expect((await call('GET', `/upload/image/${imageId}`, patient.token)).data.image_url).toMatch(/^data:image/);
  });

  it('An image is analysed, and a live update reaches only people who may read it.', async () => {
    const [owner, stranger] = [await connect(provider), await connect(patient.token)];
    const heard: string[] = [];
    stranger.socket.onAny((event: string) => heard.push(event));
    expect((await call('GET', `/analyze/${imageId}`, provider)).status).toBe(202);
    expect(await owner.next('analysis:completed')).toMatchObject({ imageId, provider: 'local', assessed: false });
    const { data } = await call('GET', `/analyze/${imageId}`, provider);
    expect(data).toMatchObject({ status: 'completed', imageId, confidence: null, differentialDiagnosis: [] });
    expect(heard.filter((event) => event.startsWith('analysis:'))).toEqual([]);
    owner.socket.close();
    stranger.socket.close();
  });

  it('A share that has expired is ended everywhere without a call.', async () => {
    const given = person('patient', 'omar');
    const registered = await call('POST', '/auth/register', undefined, given);
    const code = await mailed(given.email, CODE, 'Code');
    const other = await call('POST', '/auth/confirm', registered.data.token, { code });
    const wanted = { imagemetadataId: imageId, createdfor: registered.data.user.id };
    const share = await call('POST', '/sharing/request', provider, wanted);
    const recipient = await connect(other.data.token);
    await test.gateway.db
      .collection('shares')
      .updateOne({ _id: oid(share.data.id) }, { $set: { expiresAt: new Date() } });
    expect((await call('GET', `/upload/image/${imageId}`, other.data.token)).status).toBe(404);
    expect(await recipient.next('share:expired')).toMatchObject({ sharingRequestId: share.data.id });
    expect((await call('GET', '/upload/shared-images', other.data.token)).data).toEqual([]);
    recipient.socket.close();
  });

  it('A mailed link sets a new password, and its owner is notified.', async () => {
    await call('POST', '/auth/forgot-password', undefined, { email: 'mina@hospital.test' });
    const subject = 'Your password reset code';
    expect(await mailed('mina@hospital.test', subject, 'Code')).toMatch(/^\d{6}$/);
    const link = new URL(await mailed('mina@hospital.test', subject, 'Link'));
    expect(link.pathname).toBe('/reset-password');
    const body = { token: link.searchParams.get('token'), password: 'Meadow-Copper-19' };
    expect((await call('POST', '/auth/reset-password', undefined, body)).status).toBe(200);
    await mailbox.waitFor('mina@hospital.test', 'Your password was changed');
    expect((await call('GET', '/users/profile', patient.token)).status).toBe(401);
  });

  it('A deleted image leaves no bytes, and the audit log is intact.', async () => {
    const body = { reason: 'Wrong side' };
    expect((await call('DELETE', `/upload/image/${imageId}`, provider, body)).status).toBe(200);
    const left = async () =>
      (await test.gateway.db.collection('blobs.files').countDocuments()) +
      (await test.gateway.db.collection('blobs.chunks').countDocuments());
    await expect.poll(left).toBe(0);
    const kinds = async () =>
      (await call('GET', '/audit/logs?limit=100', chief)).data.map((row: { actiontype: string }) => row.actiontype);
    await expect.poll(kinds).toContain('image.delete');
    expect(await kinds()).toEqual(expect.arrayContaining(['auth.register', 'share.expire', 'analysis.complete']));
    expect((await call('GET', '/audit/verify', chief)).data.ok).toBe(true);
  });

  it('No mail names a person, an image or a reason, and each was sent once.', () => {
    const all = ['mina', 'sana', 'omar', 'chief'].flatMap((name) => mailbox.mails(`${name}@hospital.test`));
    expect(all.map((mail) => mail.text + mail.html + mail.subject).join()).not.toMatch(/Planted|Wrong side/);
    expect(new Set(all.map((mail) => mail.messageId)).size).toBe(all.length);
  });
});

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { redisAddress } from '@lightbox/core/config/redisUrl.js';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { emptyDatabase } from '@lightbox/testkit/config.js';
import type {} from '@lightbox/testkit/globalSetup.js';
import { type Mailbox, refusedPrefix, startMailbox } from '@lightbox/testkit/mailbox.js';
import { dicomPicture, element } from '@lightbox/testkit/part10.js';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type RunningProcess, startProcess } from './testing.js';

/** A mark that no other data contains by chance. It is in lower case, because the product may store it so. */
const unique = randomBytes(4).toString('hex');
const mark = (what: string) => `zq${what}${unique}`;

/** Values that identify a person or are confidential. */
const planted = {
  email: `${mark('mail')}@hospital.test`,
  username: mark('user'),
  firstname: mark('first'),
  lastname: mark('last'),
  dob: '1937-11-29',
  phone: `+92 377 ${Number.parseInt(unique.slice(0, 6), 16)}`,
  country: mark('country'),
  state: mark('state'),
  city: mark('city'),
  zipcode: mark('zip'),
  address: mark('address'),
  bio: mark('history'),
  taxid: mark('tax'),
  insurancenumber: mark('insurance'),
  primphysician: mark('physician'),
  caption: mark('caption'),
  message: mark('message'),
  note: mark('note'),
  invited: `${mark('invited')}@hospital.test`,
  reason: mark('reason'),
  patientName: mark('pn'),
  patientId: mark('pid'),
  studyUid: `2.25.${Number.parseInt(unique, 16)}77`,
  guestEmail: `${mark('guest')}@hospital.test`,
  guestNote: mark('note'),
  emergencyReason: mark('emergency'),
  question: mark('question'),
  answer: mark('answer'),
  carerEmail: `${mark('carer')}@hospital.test`,
  opinion: mark('opinion'),
  withdrawal: mark('withdrawal'),
  refusedEmail: `${refusedPrefix}${mark('refused')}@hospital.test`,
  password: `Zq-Willow-${unique}`,
  resetPassword: `Zq-Copper-${unique}`,
};
type Planted =
  | keyof typeof planted
  | 'signInCode'
  | 'shareCode'
  | 'guestCode'
  | 'guestProof'
  | 'requestProof'
  | 'accessToken'
  | 'verificationToken'
  | 'refreshCookie';

/** The places that may contain a value in clear, with the reason. A value in any other place is a leak. */
const classified: Record<string, { holds: Planted[]; because: string }> = {
  users: {
    holds: ['email', 'username', 'firstname', 'lastname', 'refusedEmail'],
    because: 'lists are sorted and searched by them',
  },
  imagemetadata: { holds: ['caption'], because: 'shown in every list; the disk is encrypted' },
  cards: {
    holds: ['caption', 'firstname', 'lastname'],
    because: 'the search of the gallery finds an image by the words of its caption and of the name of its patient',
  },
  messages: { holds: ['message'], because: 'both sides read it; the disk is encrypted' },
  analyses: { holds: ['withdrawal'], because: 'staff who may open the image read it; the disk is encrypted' },
  analysisversions: {
    holds: ['opinion', 'withdrawal'],
    because: 'people who may open the image read it; the disk is encrypted',
  },
  events: { holds: ['reason'], because: 'the audit entry is made of it; removed after seven days' },
  auditlogs: { holds: ['reason'], because: 'the reasons of a deletion and of an upload are part of the log' },
  // The oplog repeats every write for the members of the replica set.
  'local.oplog.rs': {
    holds: [
      ...(['email', 'username', 'firstname', 'lastname', 'refusedEmail', 'caption', 'message', 'reason'] as const),
      ...(['opinion', 'withdrawal'] as const),
    ],
    because: 'it repeats the collections, on the same disk',
  },
  mails: {
    holds: ['email', 'guestEmail', 'signInCode', 'shareCode', 'guestProof', 'requestProof'],
    because: 'the address it goes to, and the code it is for',
  },
};

let mailbox: Mailbox;
let gateway: RunningProcess;
let worker: RunningProcess;
let db: Awaited<ReturnType<typeof connectDatabase>>;
let redis: Redis;
let url: string;
const secrets: Record<string, string> = {};

beforeAll(async () => {
  const { redisUrl, folder } = inject('servers');
  const mongodbUri = await emptyDatabase();
  mailbox = await startMailbox();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = {
    PORT: String(port),
    MONGODB_URI: mongodbUri,
    REDIS_URL: `${redisUrl}/61`,
    SMTP_URL: mailbox.url,
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
    DATA_DIR: join(folder, 'planted'),
    ADMIN_EMAIL: 'chief@hospital.test',
    ADMIN_PASSWORD: 'Harbour-Lantern-42',
    DEMO: '0',
    LOG_LEVEL: 'debug',
  };
  [gateway, worker] = await Promise.all([startProcess('backend', env), startProcess('workers', env)]);
  db = await connectDatabase({ mongodbUri });
  redis = new Redis(redisAddress(`${redisUrl}/61`));
});

afterAll(async () => {
  await Promise.all([gateway?.stop(), worker?.stop()]);
  await db?.close();
  redis?.disconnect();
  await mailbox?.stop();
});

async function call(method: string, path: string, token?: string, body?: unknown) {
  const form = body instanceof FormData;
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body && !form ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the body of any answer; each step checks the fields that it needs.
  return { status: answer.status, cookies: answer.headers.getSetCookie(), data: ((await answer.json()) as any).data };
}

async function mailed(to: string, subject: string, label: string): Promise<string> {
  const mails = await mailbox.waitFor(to, subject);
  const line = (mails.at(-1)?.text ?? '').split(/\r?\n/).find((text) => text.startsWith(`${label}: `));
  return line?.slice(label.length + 2) ?? '';
}

async function signIn(email: string, password: string): Promise<string> {
  const { data } = await call('POST', '/auth/login', undefined, { email, password });
  const code = await mailed(email, 'Your verification code', 'Code');
  return (await call('POST', '/auth/confirm', data.token, { code })).data.token;
}

/** Uses every feature of the product, with a planted value in every field that accepts one. */
async function liveThrough(): Promise<void> {
  const chief = await signIn('chief@hospital.test', 'Harbour-Lantern-42');
  const {
    caption,
    message,
    note,
    invited,
    reason,
    patientName,
    patientId,
    studyUid,
    resetPassword,
    refusedEmail,
    guestEmail,
    guestNote,
    emergencyReason,
    question,
    answer,
    carerEmail,
    opinion,
    withdrawal,
    ...person
  } = planted;
  const registered = await call('POST', '/auth/register', undefined, { ...person, role: 'patient' });
  expect(registered.status).toBe(201);
  secrets.verificationToken = registered.data.token;
  secrets.signInCode = await mailed(planted.email, 'Your verification code', 'Code');
  const confirmed = await call('POST', '/auth/confirm', registered.data.token, { code: secrets.signInCode });
  const patient: string = confirmed.data.token;
  secrets.accessToken = patient;
  secrets.refreshCookie = /lightbox_refresh=([^;]+)/.exec(confirmed.cookies.join())?.[1] ?? '';
  const id: string = registered.data.user.id;

  const form = new FormData();
  const names = [
    element(0x00100010, 'PN', patientName),
    element(0x00100020, 'LO', patientId),
    element(0x0020000d, 'UI', studyUid),
  ];
  form.set('caption', caption);
  form.set('patientId', id);
  form.set('mismatchReason', reason);
  form.set('file', new Blob([dicomPicture({}, Buffer.concat(names))]), `${patientName}.dcm`);
  const uploaded = await call('POST', '/upload/image', chief, form);
  expect(uploaded.status).toBe(201);
  // A resumable upload that stays unfinished.
  const inBase64 = (text: string) => Buffer.from(text).toString('base64');
  const begun = await fetch(`${url}/api/upload/tus`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${chief}`,
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '1000',
      'Upload-Metadata': `caption ${inBase64(caption)},filename ${inBase64(`${patientName}.dcm`)}`,
    },
  });
  expect(begun.status).toBe(201);
  const wish = { images: [uploaded.data.id], emails: [invited], note };
  expect((await call('POST', '/sharing/batch', chief, wish)).data.invited).toHaveLength(1);
  await mailbox.waitFor(invited, 'You were invited');
  const shared = 'An image was shared with you';
  secrets.shareCode = await mailed(planted.email, shared, 'Code');
  const verify = { sharingRequestId: await mailed(planted.email, shared, 'Sharing id') };
  expect(
    (await call('POST', '/sharing/verify', patient, { ...verify, verificationCode: secrets.shareCode })).status,
  ).toBe(200);
  const seen = async () => (await call('GET', `/upload/image/${uploaded.data.id}`, patient)).data.image_url;
  await expect.poll(seen).toMatch(/^data:image/);
  // The header table is the one answer that shows the values of the file.
  const image = `/upload/image/${uploaded.data.id}`;
  const tags = await call('GET', `${image}/tags?search=${patientName}`, patient);
  expect(tags.data).toMatchObject([{ keyword: 'PatientName', value: patientName }]);
  const facts = JSON.stringify((await call('GET', `${image}/frames`, patient)).data);
  for (const value of [patientName, patientId, studyUid]) expect(facts).not.toContain(value);
  for (const frame of ['1', '1?rendered=true']) {
    const headers = { Authorization: `Bearer ${patient}` };
    expect((await fetch(`${url}/api${image}/frames/${frame}`, { headers })).status).toBe(200);
  }
  expect((await call('GET', `/analyze/${uploaded.data.id}`, chief)).status).toBe(202);
  const analysed = async () => (await call('GET', `/analyze/${uploaded.data.id}`, chief)).data.status;
  await expect.poll(analysed).toBe('completed');
  expect((await call('POST', '/carers', patient, { email: carerEmail })).status).toBe(201);
  const admins = await call('GET', '/users?role=admin', patient);
  const sent = { recipientId: admins.data[0].id, content: message };
  expect((await call('POST', '/message/send', patient, sent)).status).toBe(201);

  const guestWish = { imagemetadataId: uploaded.data.id, email: guestEmail, note: guestNote };
  const guest = (await call('POST', '/sharing/guest', chief, guestWish)).data;
  secrets.guestCode = guest.code;
  secrets.guestProof = new URL(guest.url).hash.slice(1);
  const guestLink = `${guest.id}.${secrets.guestProof}`;
  expect((await call('POST', '/guest/open', undefined, { link: guestLink, code: guest.code })).status).toBe(200);
  await mailbox.waitFor(guestEmail, shared);
  const request = (await call('POST', '/requests', chief, { kind: 'file', email: guestEmail, note: guestNote })).data;
  secrets.requestProof = new URL(request.url).hash.slice(1);
  const address = { link: `${request.id}.${secrets.requestProof}` };
  expect((await call('POST', '/send/open', undefined, address)).status).toBe(200);
  await mailbox.waitFor(guestEmail, 'You were asked for an image');

  const doctor = { email: 'doctor@hospital.test', username: 'doctor', firstname: 'Omar', lastname: 'Raza' };
  await call('POST', '/auth/register', undefined, { ...doctor, password: person.password, role: 'healthProvider' });
  expect((await call('POST', '/users/approve-provider', chief, { email: doctor.email })).status).toBe(200);
  const provider = await signIn(doctor.email, person.password);
  const own = new FormData();
  own.set('caption', 'Not planted');
  own.set('file', new Blob([dicomPicture()]), 'own.dcm');
  const review = `/analyze/${(await call('POST', '/upload/image', provider, own)).data.id}`;
  await call('GET', review, provider);
  await expect.poll(async () => (await call('GET', review, provider)).data.status).toBe('completed');
  const draft = (await call('GET', `${review}/versions`, provider)).data[0].version;
  const signing = { version: draft, comment: opinion, edits: { description: opinion } };
  expect((await call('POST', `${review}/sign`, provider, signing)).status).toBe(200);
  expect((await call('POST', `${review}/withdraw`, provider, { reason: withdrawal })).status).toBe(200);
  await call('POST', '/appsetting/add', chief, { name: 'access.breakGlass', value: 'yes' });
  const opened = await call('POST', `/users/${id}/emergency`, provider, { reason: emergencyReason });
  expect(opened.status).toBe(201);
  const emergency = `/emergencies/${opened.data.id}`;
  expect((await call('POST', `${emergency}/question`, chief, { comment: question })).status).toBe(200);
  expect((await call('POST', `${emergency}/answer`, provider, { answer })).status).toBe(200);
  await mailbox.waitFor(planted.email, 'Your images were opened in an emergency');

  // Failed calls must not leak the values either.
  await call('POST', '/auth/login', undefined, { email: planted.email, password: `${planted.password}x` });
  await call('POST', '/auth/login', undefined, { email: planted.email, password: { $gt: planted.password } });
  await call('GET', `/users?search=${planted.lastname}`, chief);
  await call('GET', `/nothing/${planted.lastname}?name=${planted.firstname}`, chief);
  await call('PUT', '/users/profile', patient, { bio: planted.bio, nothing: planted.address });
  await call('POST', '/auth/forgot-password', undefined, { email: planted.email });
  const link = new URL(await mailed(planted.email, 'Your password reset code', 'Link'));
  const reset = { token: link.searchParams.get('token'), password: resetPassword };
  expect((await call('POST', '/auth/reset-password', undefined, reset)).status).toBe(200);
  await mailbox.waitFor(planted.email, 'Your password was changed');
  // A mail server repeats the address of an unknown recipient in its error.
  const unknown = { ...person, email: refusedEmail, username: `${mark('other')}`, role: 'patient' };
  expect((await call('POST', '/auth/register', undefined, unknown)).status).toBe(201);
  await expect.poll(() => worker.output()).toContain('The mail could not be sent: EENVELOPE 550');
  // A slow search must not be in MongoDB's log.
  const slow = db.collection('users').find({ email: planted.email, $where: 'sleep(300) || true' });
  expect(await slow.toArray()).toHaveLength(1);
  // One image is kept, one is deleted.
  const other = new FormData();
  other.set('caption', 'Not planted');
  other.set('file', new Blob([dicomPicture()]), 'other.dcm');
  const gone = await call('POST', '/upload/image', chief, other);
  expect((await call('DELETE', `/upload/image/${gone.data.id}`, chief, { reason })).status).toBe(200);
  const kinds = async () =>
    (await call('GET', '/audit/logs?limit=100', chief)).data.map((row: { actiontype: string }) => row.actiontype);
  await expect.poll(kinds).toContain('image.delete');
}

/** Yields every collection as raw BSON, and the oplog. */
async function* database(): AsyncGenerator<[string, Buffer]> {
  const raw = { raw: true } as object;
  for (const { name } of (await db.db?.listCollections().toArray()) ?? []) {
    yield [name, Buffer.concat((await db.collection(name).find({}, raw).toArray()) as unknown as Buffer[])];
  }
  const oplog = db.getClient().db('local').collection('oplog.rs').find({}, raw);
  for await (const entry of oplog) yield ['local.oplog.rs', entry as unknown as Buffer];
}

async function* valkey(): AsyncGenerator<[string, Buffer]> {
  const folder = join(inject('servers').folder, 'valkey', 'appendonlydir');
  for (const name of readdirSync(folder)) yield ['valkey.aof', readFileSync(join(folder, name))];
  for await (const keys of redis.scanStream()) {
    for (const key of keys as string[]) {
      const readers: Record<string, () => Promise<unknown>> = {
        string: () => redis.get(key),
        hash: () => redis.hgetall(key),
        list: () => redis.lrange(key, 0, -1),
        set: () => redis.smembers(key),
        zset: () => redis.zrange(key, '0', '-1'),
        stream: () => redis.xrange(key, '-', '+'),
      };
      const value = await readers[await redis.type(key)]?.();
      yield ['valkey', Buffer.from(`${key} ${JSON.stringify(value)}`)];
    }
  }
}

function* outside(): Generator<[string, Buffer]> {
  yield ['log of the gateway', Buffer.from(gateway.output())];
  yield ['log of the workers', Buffer.from(worker.output())];
  const logs = join(inject('servers').folder, 'logs');
  for (const name of readdirSync(logs)) yield [name, readFileSync(join(logs, name))];
  for (const address of [planted.email, planted.guestEmail])
    for (const mail of mailbox.mails(address)) yield ['mails', Buffer.from(JSON.stringify(mail))];
}

it('Values that identify a person are stored only in the places classified for them.', {
  timeout: 300_000,
}, async () => {
  await liveThrough();
  expect(gateway.output(), 'the gateway logs what it does').toContain('"service":"gateway"');
  const values = Object.entries({ ...planted, ...secrets });
  expect(values.length).toBeGreaterThanOrEqual(25);
  for (const [what, value] of values) expect(value, what).toMatch(/.{6}/);

  const found = new Map<string, Set<string>>();
  for (const source of [database(), valkey(), outside()]) {
    for await (const [place, bytes] of source) {
      const text = bytes.toString('latin1').toLowerCase();
      for (const [what, value] of values) {
        // A longer number may contain the six digits by chance.
        const there = /^\d{6}$/.test(value)
          ? new RegExp(`(?<![\\da-f])${value}(?![\\da-f])`).test(text)
          : text.includes(value.toLowerCase());
        if (there) found.set(place, (found.get(place) ?? new Set()).add(what));
      }
    }
  }
  const places = Object.fromEntries([...found].map(([place, what]) => [place, [...what].sort()]));
  const expected = Object.entries(classified).map(([place, { holds }]) => [place, [...holds].sort()]);
  expect(places).toEqual(Object.fromEntries(expected));
});

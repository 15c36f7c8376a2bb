import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { Client } from '@lightbox/backend/testing/client.js';
import {
  buildAdmin,
  buildEmergency,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
} from '@lightbox/backend/testing/factories.js';
import { files, png } from '@lightbox/backend/testing/files.js';
import { buildGateway, joinGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { webmRecording } from '@lightbox/backend/testing/recordings.js';
import { slice } from '@lightbox/backend/testing/slices.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { verifyAudit } from '@lightbox/core/audit/verify.js';
import type { Config } from '@lightbox/core/config/config.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { newId } from '@lightbox/core/db/ids.js';
import { sealText } from '@lightbox/core/emergencies/sealed.js';
import { openTotpSecret, sealTotpSecret } from '@lightbox/core/keys/totpSecret.js';
import { keyUses } from '@lightbox/core/keys/usage.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { openProfile, sealPerson } from '@lightbox/core/users/profile.js';
import { noteAuditHead } from '@lightbox/workers/maintenance/noteAuditHead.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningProcess, startProcess } from './testing.js';

const [enc1, enc2, app1, app2] = [makeKeys(), makeKeys(), makeKeys(), makeKeys()];
const idOf = (key: string) => key.slice(0, key.indexOf(':'));
/** Enough accounts that the workers need some time. */
const PEOPLE = 2_000;

let test: TestGateway;
let worker: RunningProcess | undefined;
const started: TestGateway[] = [];

async function restart(changes: Partial<Config>): Promise<void> {
  const next = await joinGateway({ ...test.config, ...changes });
  started.push(next);
  test = next;
}

/** Runs a command of the product. Returns its exit code and output. */
function run(command: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, ...envOf(test.config) };
  const main = join(import.meta.dirname, '../../core/dist', command);
  const ended = spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8' });
  return { says: ended.stdout + ended.stderr, code: ended.status };
}
const status = () => run('keys/statusCommand.js');

const envOf = (config: Config) => ({
  MONGODB_URI: config.mongodbUri,
  REDIS_URL: config.redisUrl,
  SMTP_URL: config.smtpUrl,
  APP_KEYS: config.appKeys,
  ENCRYPTION_KEYS: config.encryptionKeys,
  AUDIT_KEYS: config.auditKeys ?? '',
  DATA_DIR: config.dataDir,
  WORKER_QUEUES: 'maintenance',
  LOG_LEVEL: 'silent',
});

/** Starts workers as separate processes, so that they can be killed. */
const startWorker = () => startProcess('workers', envOf(test.config));

beforeAll(async () => {
  test = await buildGateway({ encryptionKeys: enc1, appKeys: app1 });
  started.push(test);
});
afterAll(async () => {
  await worker?.stop();
  for (const each of started) await each.stop().catch(() => undefined);
  await closeInspectors();
});

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Uploads and reads at the current gateway until it is stopped. */
function load(provider: Person, images: Map<string, string>) {
  const failures: string[] = [];
  let going = true;
  const once = async (i: number) => {
    const client = new Client(test.url).as(provider);
    const file = png(4, 4, 400 + i);
    const { status, body } = await client.upload(file, { caption: `While keys change ${i}` });
    if (status === 201) images.set(body.data.id, sha(file));
    else failures.push(`upload ${status}`);
    const [first] = images.keys();
    const read = await client.get(`/upload/image/${first}/content`);
    if (read.status !== 200) failures.push(`read ${read.status}`);
  };
  const done = (async () => {
    for (let i = 0; going; i++) {
      await once(i);
      // Without a pause this would take a whole core, and the workers would wait for it.
      await sleep(250);
    }
  })();
  return async () => {
    going = false;
    await done;
    return failures;
  };
}

/** Returns the number of records under each key, by the id of the key. */
async function under(what: string): Promise<Record<string, number | null>> {
  const uses = await keyUses(test.gateway.models, test.gateway.clock.now());
  return Object.fromEntries(uses.filter((use) => use.what === what).map(({ keyId, records }) => [keyId, records]));
}

describe('ENCRYPTION_KEYS', () => {
  const images = new Map<string, string>();
  let provider: Person;
  let patient: Person;
  let studyId: string;
  let emergency: string;
  let voice: string;
  const invited = 'invited@elsewhere.test';
  const upload = async (file: Buffer) => (await new Client(test.url).as(provider).upload(file).expect(201)).body.data;

  it('The second key is made the first while people work and workers are killed.', { timeout: 480_000 }, async () => {
    const { models, keys, db } = test.gateway;
    provider = await buildProvider(test.gateway);
    patient = await buildPatient(test.gateway, { dob: '1971-02-03' });
    for (const file of [files.png, files.jpeg, files.pdf, files.dicom]) {
      images.set((await upload(file)).id, sha(file));
    }
    studyId = (await upload(slice({ study: '1.2.826.0.1.1' }))).studyId;
    const wish = { images: [[...images.keys()][0]], people: [patient.id], emails: [invited], note: 'Look closely.' };
    await new Client(test.url).as(provider).post('/sharing/batch', wish).expect(201);
    const asked = await buildEmergency(test.gateway, { provider, patient });
    emergency = String(asked._id);
    const question = { by: provider._id, at: new Date(), text: sealText(keys, asked._id, 'question', 'Why then?') };
    await models.Emergency.updateOne({ _id: asked._id }, { $set: { state: 'questioned', waits: false, question } });
    const parts = [
      { name: 'recipientId', value: patient.id },
      { name: 'file', file: webmRecording },
    ];
    const spoken = await new Client(test.url).as(provider).form({ path: '/message/voice', parts }).expect(201);
    voice = spoken.body.data.voice.id;
    const crowd = Array.from({ length: PEOPLE }, (_, i) => {
      const name = `crowd${i}`;
      const names = { username: name, usernameKey: name, email: `${name}@hospital.test`, passwordHash: '' };
      const state = { role: 'patient', status: 'active', active: true, sortKey: '' } as const;
      return sealPerson(keys, { _id: newId(), ...names, ...state, words: [], createAt: new Date(), city: `City ${i}` });
    });
    await models.User.collection.insertMany(crowd);
    // An account of an older version, which did not encrypt profiles.
    const old = await buildPatient(test.gateway);
    await models.User.collection.updateOne({ _id: old._id }, { $set: { city: 'In clear' }, $unset: { profile: 1 } });
    const totp = { _id: patient._id, secret: sealTotpSecret(keys, patient._id, 'JBSWY3DP'), createAt: new Date() };
    await models.Totp.create([{ ...totp, lastStep: 0, tries: 0, recoveryCodes: [] }]);
    const chunks = () => db.collection('blobs.chunks').find().sort({ _id: 1 }).toArray();
    const before = new Map((await chunks()).map((chunk) => [String(chunk._id), sha(chunk.data.buffer)]));

    const stopLoad = load(provider, images);
    await restart({ encryptionKeys: `${enc1},${enc2}` });
    await restart({ encryptionKeys: `${enc2},${enc1}` });
    // The old key is removed too early: the start names the records that need it.
    await expect(joinGateway({ ...test.config, encryptionKeys: enc2 })).rejects.toThrow(
      new RegExp(`ENCRYPTION_KEYS must hold ${idOf(enc1)}: images and voice messages still need it`),
    );

    worker = await startWorker();
    const renewed = async () => (await under('profiles'))[idOf(enc2)] ?? 0;
    await expect.poll(renewed, { interval: 20 }).toBeGreaterThan(200);
    worker.child.kill('SIGKILL');
    await worker.stop();
    expect((await under('profiles'))[idOf(enc1)], 'it was killed in the middle').toBeGreaterThan(0);

    expect(status()).toMatchObject({ code: 1, says: expect.stringContaining('still renewing') });

    // The claim of the killed worker ends now and not after its 15 seconds.
    await models.Task.updateOne({ _id: 'renewKeys' }, { $set: { nextAt: new Date(0) } });
    worker = await startWorker();
    const left = async () =>
      Object.keys({
        ...(await under('images')),
        ...(await under('voice messages')),
        ...(await under('profiles')),
        ...(await under('notes of shares')),
        ...(await under('invitations')),
        ...(await under('emergency accesses')),
        ...(await under('authenticator apps')),
        ...(await under('keys of the installation')),
      });
    await expect.poll(left, { interval: 200 }).toEqual([idOf(enc2)]);
    expect(await stopLoad()).toEqual([]);
    const free = expect.stringContaining(`May be taken out of ENCRYPTION_KEYS: ${idOf(enc1)}.`);
    expect(status()).toMatchObject({ code: 0, says: free });
    const after = new Map((await chunks()).map((chunk) => [String(chunk._id), sha(chunk.data.buffer)]));
    for (const [id, hash] of before) expect(after.get(id), 'no blob was written again').toBe(hash);
  });

  it('The old key is not needed by any record afterwards.', async () => {
    await worker?.stop();
    worker = undefined;
    await restart({ encryptionKeys: enc2 });
    const { models, keys } = test.gateway;
    expect(images.size).toBeGreaterThan(4);
    for (const [id, hash] of images) {
      const read = await new Client(test.url)
        .as(provider)
        .get(`/upload/image/${id}/content`)
        .responseType('blob')
        .expect(200);
      expect(sha(read.body)).toBe(hash);
    }
    const spoken = await new Client(test.url).as(patient).get(`/message/voice/${voice}`).buffer(true).expect(200);
    expect(sha(spoken.body)).toBe(sha(webmRecording));
    expect((await upload(slice({ study: '1.2.826.0.1.1' }))).studyId, 'a file finds its study').toBe(studyId);
    const people = await models.User.find({ username: /^crowd/ }).lean<UserDoc[]>();
    expect(people).toHaveLength(PEOPLE);
    for (const user of people) expect(openProfile(keys, user).city).toBe(`City ${user.username.slice(5)}`);
    expect(await models.User.collection.countDocuments({ city: { $exists: true } })).toBe(0);
    const { body } = await new Client(test.url).as(patient).get(`/users/${patient.id}`).expect(200);
    expect(body.data.dob).toBe('1971-02-03');
    const [shared] = images.keys();
    const listed = async (path: string) =>
      (await new Client(test.url).as(provider).get(`${path}?imageId=${shared}`).expect(200)).body.data;
    expect(await listed('/sharing')).toMatchObject([{ note: 'Look closely.' }]);
    expect(await listed('/sharing/invitations')).toMatchObject([{ email: invited, note: 'Look closely.' }]);
    const kept = await new Client(test.url).as(provider).get(`/emergencies/${emergency}`).expect(200);
    expect(kept.body.data).toMatchObject({
      reason: 'Unconscious after a fall',
      review: { question: { text: 'Why then?' } },
    });
    const again = { images: [shared], emails: [invited] };
    const { body: known } = await new Client(test.url).as(provider).post('/sharing/batch', again).expect(201);
    expect(known.data.skipped, 'the hash is found').toHaveLength(1);
    const totp = await models.Totp.findById(patient._id).lean();
    expect(openTotpSecret(keys, patient._id, totp?.secret ?? '')).toBe('JBSWY3DP');
  });
});

describe('APP_KEYS', () => {
  it('Tokens and codes of an old key are valid until the key is removed from the ring.', {
    timeout: 240_000,
  }, async () => {
    const admin = await buildAdmin(test.gateway);
    const [share, other] = [await buildShare(test.gateway), await buildShare(test.gateway)];
    const { body } = await new Client(test.url).as(admin).get('/users?limit=1').expect(200);
    const cursor: string = body.pagination.nextCursor;
    const cookie = (sessionId: unknown) => test.gateway.tokens.refreshValue(String(sessionId), 0);
    const [refresh, later] = [cookie(admin.sessionId), cookie(other.recipient.sessionId)];
    const api = () => new Client(test.url);
    const refreshWith = (value: string) =>
      api().post('/auth/refresh').set('Cookie', `lightbox_refresh=${value}; XSRF-TOKEN=x1`).set('X-XSRF-TOKEN', 'x1');
    const verify = ({ id, code, recipient }: typeof share) =>
      api().as(recipient).post('/sharing/verify', { sharingRequestId: id, verificationCode: code });
    await appendAudit(test.gateway.models, test.gateway.keys.audit);
    // Requests whose answer is lost in the restart, and which are repeated.
    const { recipient: patient } = await buildShare(test.gateway);
    const [content, file] = [{ recipientId: admin.id, content: 'Once' }, png(4, 4, 900)];
    const person = {
      ...{ email: 'once@hospital.test', username: 'once', password: 'Harbour-Lantern-42', role: 'patient' },
      ...{ firstname: 'Zoë', lastname: 'Khan', gender: 'Female', dob: '1990-02-28', active: true },
    };
    const uploader = await buildProvider(test.gateway);
    const key = randomUUID();
    const repeated = async () => {
      const made = [
        await api().as(patient).post('/message/send', content).set('Idempotency-Key', key).expect(201),
        await api().as(uploader).upload(file, { caption: 'Once' }).set('Idempotency-Key', key).expect(201),
        await api().post('/auth/register', person).set('Idempotency-Key', key).expect(201),
      ];
      return made.map(({ body: { data } }) => data.id ?? data.user.id);
    };
    const made = await repeated();

    await restart({ appKeys: `${app1},${app2}` });
    await restart({ appKeys: `${app2},${app1}` });
    expect(await repeated()).toEqual(made);
    await api().as(admin).get('/users/profile').expect(200);
    await api().as(admin).get(`/users?limit=1&cursor=${cursor}`).expect(200);
    const fresh: string = (await refreshWith(refresh).expect(200)).body.data.token;
    expect(JSON.parse(Buffer.from(fresh.split('.')[0] ?? '', 'base64url').toString()).kid).toBe(idOf(app2));
    await verify(share).expect(200);
    await appendAudit(test.gateway.models, test.gateway.keys.audit);

    // The old key proves the audit log, from here on only in AUDIT_KEYS.
    await expect(joinGateway({ ...test.config, appKeys: app2 })).rejects.toThrow(
      new RegExp(`AUDIT_KEYS must hold ${idOf(app1)}: the audit log`),
    );
    await restart({ appKeys: app2, auditKeys: app1 });
    expect(await verifyAudit(test.gateway.models, test.gateway.keys.audit)).toMatchObject({ ok: true });
    await api().as(admin).get('/users/profile').expect(401);
    await api().as(fresh).get('/users/profile').expect(200);
    await api().as(fresh).get(`/users?limit=1&cursor=${cursor}`).expect(422);
    await refreshWith(later).expect(401);
    const recipient = { token: test.gateway.tokens.access(other.recipient.id, String(other.recipient.sessionId)) };
    await verify({ ...other, recipient: { ...other.recipient, ...recipient } }).expect(422);
  });
});

it('The audit log is verified against the head that workers note.', async () => {
  const noted: { head: string }[] = [];
  const log = { info: (line: { head: string }) => noted.push(line), error: () => undefined };
  await noteAuditHead({ ...test.gateway, log: log as never });
  const [{ head }] = noted as [{ head: string }];
  expect(run('audit/verifyCommand.js', head)).toMatchObject({ code: 0, says: expect.stringContaining('is intact') });
  const other = head.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const broken = expect.stringContaining(`broken at entry ${head.split(':')[0]}`);
  expect(run('audit/verifyCommand.js', other)).toMatchObject({ code: 1, says: broken });
});

describe('a process', () => {
  const weak = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
  const env = () => ({
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://lightbox.hospital.test',
    MONGODB_URI: test.config.mongodbUri,
    REDIS_URL: test.config.redisUrl,
    SMTP_URL: 'smtp://127.0.0.1:9',
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
  });

  it('does not start in production with a weak, missing or example secret, and does not repeat it', async () => {
    const secrets = { ENCRYPTION_KEYS: weak, ADMIN_PASSWORD: 'Change-me-1' };
    const changes = { ...secrets, APP_KEYS: '', ADMIN_EMAIL: 'a@hospital.test' };
    // Gateways and workers read the configuration by the same code.
    const refused = await startProcess('workers', { ...env(), ...changes }).catch((error: Error) => error.message);
    expect(refused).toContain('ENCRYPTION_KEYS holds a key that is not random');
    expect(refused).toContain('APP_KEYS is missing');
    expect(refused).toContain('ADMIN_PASSWORD holds an example');
    for (const secret of Object.values(secrets)) expect(refused).not.toContain(secret);
  });
});

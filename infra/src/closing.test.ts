import { Client } from '@lightbox/backend/testing/client.js';
import { buildAdmin, buildPatient, buildProvider, mailedCode, PASSWORD } from '@lightbox/backend/testing/factories.js';
import { files } from '@lightbox/backend/testing/files.js';
import { buildGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { newId } from '@lightbox/core/db/ids.js';
import { closeInspectors } from '@lightbox/core/files/inspect.js';
import { sealTotpSecret } from '@lightbox/core/keys/totpSecret.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './chaos/invariants.js';
import { type RunningProcess, startProcess } from './testing.js';

let test: TestGateway;
let worker: RunningProcess;

beforeAll(async () => {
  test = await buildGateway();
  const { config } = test;
  worker = await startProcess('workers', {
    MONGODB_URI: config.mongodbUri,
    REDIS_URL: config.redisUrl,
    SMTP_URL: config.smtpUrl,
    APP_KEYS: config.appKeys,
    ENCRYPTION_KEYS: config.encryptionKeys,
    DATA_DIR: config.dataDir,
    LOG_LEVEL: 'silent',
  });
}, 60_000);
afterAll(async () => {
  await worker?.stop();
  await test?.stop();
  await closeInspectors();
});

const left = () => violations(test.gateway);

it('an account that is closed leaves what belongs to others, and no orphan', { timeout: 60_000 }, async () => {
  const { models, keys, clock } = test.gateway;
  const api = new Client(test.url);
  const admin = await buildAdmin(test.gateway);
  const [owner, patient, friend] = [
    await buildProvider(test.gateway),
    await buildPatient(test.gateway),
    await buildProvider(test.gateway),
  ];
  const upload = async (file: Buffer, fields: Record<string, string>): Promise<string> =>
    (await api.as(owner).upload(file, fields).expect(201)).body.data.id;
  const kept = await upload(files.jpeg, { caption: 'Of a patient', patientId: patient.id });
  const gone = await upload(files.dicom, { caption: 'Of nobody' });
  for (const id of [kept, gone]) {
    await api.as(owner).post('/sharing/request', { imagemetadataId: id, createdfor: friend.id }).expect(201);
    await api.as(owner).get(`/analyze/${id}`).expect(202);
    const drawn = async () => (await models.Image.findById(id).lean())?.preview;
    await expect.poll(drawn, { timeout: 20_000 }).toBe('ready');
  }
  const theirs = (await api.as(friend).upload(files.png).expect(201)).body.data.id;
  await api.as(friend).post('/sharing/request', { imagemetadataId: theirs, createdfor: owner.id }).expect(201);
  await api.as(owner).post('/message/send', { recipientId: patient.id, content: 'See you on Monday' }).expect(201);
  await api.post('/auth/login', { email: owner.email, password: PASSWORD }).expect(200);
  await mailedCode(test.gateway, owner._id);
  const told = () => models.Notification.countDocuments({ user: owner._id });
  await expect.poll(told, { timeout: 10_000 }).toBeGreaterThan(0);
  const secret = sealTotpSecret(keys, owner._id, 'JBSWY3DP');
  await models.Totp.create([
    { _id: owner._id, secret, createAt: clock.now(), lastStep: 0, tries: 0, recoveryCodes: [] },
  ]);
  const browser = { endpoint: 'https://push.example/x', p256dh: 'x', auth: 'x', seenAt: clock.now() };
  const until = new Date(clock.now().getTime() + 3_600_000);
  await models.PushSubscription.create([
    { _id: newId(), user: owner._id, session: owner.sessionId, ...browser, expiresAt: until },
  ]);
  expect(await left()).toEqual([]);

  await api.as(owner).del('/users/profile', { password: PASSWORD }).expect(200);

  await expect.poll(left, { timeout: 15_000 }).toEqual([]);
  expect(await models.Image.exists({ _id: gone })).toBeNull();
  expect(await models.Preview.exists({ _id: gone })).toBeNull();
  // Of an image with a patient, an administrator is the owner from now on; the patient and the others keep their shares.
  const image = await models.Image.findById(kept).lean();
  expect((await models.User.findById(image?.owner).lean())?.role).toBe('admin');
  expect(await models.Share.countDocuments({ image: kept, live: true })).toBe(2);
  await api.as(admin).get(`/upload/image/${kept}/content`).expect(200);
  const chat = await api.as(patient).get(`/message/chat/${owner.id}`).expect(200);
  expect(chat.body.data.map((message: { content: string }) => message.content)).toEqual(['See you on Monday']);
  const list = await api.as(patient).get('/message/chat-list').expect(200);
  expect(JSON.stringify(list.body.data)).toContain('Deleted');
});

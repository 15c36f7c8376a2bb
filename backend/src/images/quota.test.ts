import { errors } from '@lightbox/contract/errors.js';
import { oid } from '@lightbox/core/db/ids.js';
import { beforeEach, expect, it } from 'vitest';
import { buildAdmin, buildImage, buildPatient, buildProvider, PASSWORD, type Person } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let provider: Person;

beforeEach(async () => {
  provider = await buildProvider(test.gateway);
  await test.gateway.models.Setting.deleteMany({});
  test.gateway.settings.forget();
});

async function set(name: string, value: number): Promise<void> {
  const admin = await buildAdmin(test.gateway);
  await api
    .as(admin)
    .post('/appsetting/add', { name, value: String(value) })
    .expect(201);
}

const usage = (owner: Person) => test.gateway.models.Usage.findById(owner._id, { _id: 0, files: 1, bytes: 1 }).lean();
const blobs = () => test.gateway.db.db?.collection('blobs.files').countDocuments();
const upload = () => api.as(provider).upload(files.png);

it('concurrent uploads do not exceed the quota of files, and refused ones leave nothing', async () => {
  await set('quota.files', 3);
  const before = (await blobs()) ?? 0;
  const answers = await Promise.all(Array.from({ length: 8 }, upload));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ error: 'QUOTA_REACHED', message: errors.QUOTA_REACHED[1] });
  expect(await blobs()).toBe(before + 3);
  expect(await usage(provider)).toEqual({ files: 3, bytes: 3 * files.png.length });
  await set('quota.bytes', 2 ** 30);
  await api
    .as(await buildProvider(test.gateway))
    .upload(files.png)
    .expect(201);
});

it('the quota of bytes refuses a file that would exceed it, and accepts one that fits', async () => {
  await set('quota.bytes', 1024 * 1024);
  await test.gateway.models.Usage.create([
    { _id: provider._id, files: 1, bytes: 1024 * 1024 - files.png.length, at: test.gateway.clock.now() },
  ]);
  const before = await blobs();
  expect((await api.as(provider).upload(files.jpeg).expect(409)).body.error).toBe('QUOTA_REACHED');
  expect(await blobs()).toBe(before);
  await upload().expect(201);
  await upload().expect(409);
});

it('a deleted image frees the quota, and a failed upload uses none', async () => {
  await set('quota.files', 1);
  const { body } = await upload().expect(201);
  await upload().expect(409);
  await api.as(provider).del(`/upload/image/${body.data.id}`).expect(200);
  await api.as(provider).upload(files.png, {}).expect(422);
  const key = { 'Idempotency-Key': '0b0e0f4c-5a5c-4d0e-9a44-2f5d7a0f1c11' };
  await upload().set(key).expect(201);
  await upload().set(key).expect(201);
  expect(await usage(provider)).toEqual({ files: 1, bytes: files.png.length });
});

it('the usage includes images from before it was counted, and moves to an heir with the images', async () => {
  const patient = await buildPatient(test.gateway);
  const image = await buildImage(test.gateway, { owner: provider, patient: patient._id });
  await buildImage(test.gateway, { owner: provider });
  await set('quota.files', 2);
  await upload().expect(409);
  // The answer waits five seconds by the clock for the rest, which maintenance would do later.
  await test.clock.still(async () => api.as(provider).del('/users/profile', { password: PASSWORD }).expect(200));
  const passedOn = await test.gateway.models.Image.findById(oid(image.id), { owner: 1 }).lean();
  const heir = { ...provider, _id: passedOn?.owner ?? provider._id };
  expect(heir._id).not.toEqual(provider._id);
  expect(await test.gateway.usage.take(heir._id, 5, { files: 1, bytes: 2 ** 30 })).toBe(false);
  expect(await usage(heir)).toMatchObject({ files: 1 });
  expect(await usage(provider)).toEqual({ files: 0, bytes: 0 });
});

it('the usage is counted again when no upload is under way', async () => {
  const quota = { files: 100, bytes: 2 ** 30 };
  const { gateway, clock } = test;
  await upload().expect(201);
  clock.forward({ hours: 25 });
  // This upload has taken its space, and its image is recorded a moment later.
  expect(await gateway.usage.take(provider._id, 5, quota)).toBe(true);
  await gateway.usage.recount(gateway.clock.now(), 100);
  expect(await usage(provider)).toEqual({ files: 2, bytes: files.png.length + 5 });
  clock.forward({ minutes: 6 });
  await gateway.usage.recount(gateway.clock.now(), 100);
  expect(await usage(provider)).toEqual({ files: 1, bytes: files.png.length });
});

it('the usage is counted again after a day', async () => {
  await upload().expect(201);
  await test.gateway.models.Usage.updateOne({ _id: provider._id }, { $set: { files: 7, bytes: 1 } });
  const recount = () => test.gateway.usage.recount(test.gateway.clock.now(), 100);
  await recount();
  expect(await usage(provider)).toEqual({ files: 7, bytes: 1 });
  test.clock.forward({ hours: 25 });
  await recount();
  expect(await usage(provider)).toEqual({ files: 1, bytes: files.png.length });
});

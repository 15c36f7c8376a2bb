import { readFileSync } from 'node:fs';
import { Client } from '@lightbox/backend/testing/client.js';
import { buildPatient, buildProvider, PASSWORD, type Person } from '@lightbox/backend/testing/factories.js';
import { buildGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { system } from '@lightbox/core/events/events.js';
import { removeImage } from '@lightbox/core/images/removeImage.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { PhotoDoc } from '@lightbox/core/models/photo.js';
import { dicomPicture } from '@lightbox/testkit/part10.js';
import { Worker } from 'bullmq';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildImage } from '../testing/buildImage.js';
import { type RunningWorker, startWorker } from '../worker.js';

/** A gateway, and a worker that the first test starts. */
let test: TestGateway;
let worker: RunningWorker | undefined;
let owner: Person;

beforeAll(async () => {
  test = await buildGateway();
  owner = await buildProvider(test.gateway);
});
afterAll(async () => {
  await worker?.stop();
  await test?.stop();
});

const report = readFileSync(new URL('../../../backend/assets/demo/report.pdf', import.meta.url));
const store = (file: Buffer, contentType: ImageDoc['contentType']): Promise<ImageDoc> =>
  buildImage(test.gateway, file, { contentType, owner: owner._id, preview: 'pending' });
const get = (image: ImageDoc, path: string) =>
  new Client(test.url).as(owner).get(`/upload/image/${image._id}/${path}`).buffer();
const jobsOf = async (name: string) =>
  (await test.gateway.queues.all.previews.getJobs()).filter((job) => job.name === name).length;

/** On a busy machine, an answer comes before the drawing. */
const untilDrawn = (image: ImageDoc, path: string) =>
  expect.poll(async () => (await get(image, path)).status).toBe(200);

/** Takes the next job as a worker does, and dies. */
async function dieWithJob(): Promise<string> {
  const connection = connectRedis(test.config.redisUrl, 'patient');
  const dying = new Worker('previews', null, { connection, autorun: false, lockDuration: 500 });
  const job = await dying.getNextJob('dying');
  await dying.close(true);
  connection.disconnect();
  return String(job?.name);
}

async function startDrawing(): Promise<void> {
  const { config } = test;
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: ['previews'] } });
  await worker.ready;
}

it('A call for the facts of a file waits for the worker that draws it.', async () => {
  const image = await store(dicomPicture(), 'application/dicom');
  const asked = get(image, 'frames').then((answer) => answer);
  await expect.poll(() => jobsOf('renderPreview')).toBe(1);
  await startDrawing();
  // On a busy machine the wait may end before the worker has started.
  expect([200, 404]).toContain((await asked).status);
  const facts = async () => (await get(image, 'frames')).body.data;
  await expect.poll(facts).toMatchObject({ kind: 'dicom', frames: 1, rows: 16, columns: 16 });
  const frame = await get(image, 'frames/1').expect(200);
  expect((frame.body as Buffer).equals(Buffer.alloc(512, 7))).toBe(true);
});

it('A page is drawn although the worker that began it was killed, and calls for it share one job.', async () => {
  const image = await store(report, 'application/pdf');
  await untilDrawn(image, 'frames');
  expect((await get(image, 'frames').expect(200)).body.data).toMatchObject({ kind: 'pdf' });
  expect((await get(image, 'frames/1').expect(404)).body.error).toBe('NO_FRAME');
  await worker?.stop();
  const asked = Promise.all([1, 2, 3].map(() => get(image, 'frames/1?rendered=true').then(({ status }) => status)));
  await expect.poll(() => jobsOf('renderFrame')).toBe(1);
  expect(await dieWithJob()).toBe('renderFrame');
  await startDrawing();
  for (const status of await asked) expect([200, 404]).toContain(status);
  const drawn = async () => (await get(image, 'frames/1?rendered=true')).headers['content-type'];
  await expect.poll(drawn).toBe('image/webp');
  const page = await get(image, 'frames/1?rendered=true').expect(200);
  expect(await sharp(page.body as Buffer).metadata()).toMatchObject({ format: 'webp' });
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  expect(await jobsOf('renderFrame')).toBe(1);
  // The kept picture is sealed, and goes with the image.
  const { Rendering } = test.gateway.models;
  const kept = await Rendering.find({ image: image._id }).lean();
  expect(kept.map(({ sealed }) => bufferOf(sealed ?? Buffer.alloc(0)).includes('WEBP'))).toEqual([false]);
  await removeImage(test.gateway, system, image._id, '');
  expect(await Rendering.countDocuments({ image: image._id })).toBe(0);
});

it('The window of the call is the window of the picture, and each window is drawn by itself.', async () => {
  const pixels = Buffer.alloc(512);
  for (let i = 0; i < 256; i++) pixels.writeUInt16LE(i, i * 2);
  const image = await store(dicomPicture({ pixels }), 'application/dicom');
  await untilDrawn(image, 'frames');
  const brightness = async (query: string) => {
    await untilDrawn(image, `frames/1?rendered=true&${query}`);
    const { body } = await get(image, `frames/1?rendered=true&${query}`).expect(200);
    return (await sharp(body as Buffer).stats()).channels[0]?.mean ?? 0;
  };
  expect(await brightness('center=1000&width=2')).toBeLessThan(5);
  expect(await brightness('center=-1000&width=2')).toBeGreaterThan(250);
});

it('A frame that cannot be drawn is 404, also when it is asked for again.', async () => {
  const { gateway } = test;
  const image = await store(dicomPicture(), 'application/dicom');
  await untilDrawn(image, 'frames');
  // No renderer knows this type.
  await gateway.models.Image.updateOne({ _id: image._id }, { $set: { contentType: 'image/x-other' } });
  const rendered = async () => (await get(image, 'frames/1?rendered=true').expect(404)).body;
  const refused = { error: 'NO_FRAME', message: 'This frame cannot be drawn.' };
  await expect.poll(rendered).toMatchObject(refused);
  expect(await rendered()).toMatchObject(refused);
  expect(await gateway.models.Rendering.countDocuments({ image: image._id, failed: true })).toBe(1);
});

it('A photo of a person becomes a small square without metadata, for people who may see them, and can be removed.', async () => {
  const { models } = test.gateway;
  const person = await buildPatient(test.gateway);
  const stranger = await buildPatient(test.gateway);
  const mine = new Client(test.url).as(person);
  const secret = 'GPS and a name';
  const jpeg = await sharp({ create: { width: 900, height: 500, channels: 3, background: '#0a5' } })
    .withExif({ IFD0: { Artist: secret } })
    .jpeg()
    .toBuffer();
  const send = (file: Buffer, filename: string) => mine.post('/users/profile/photo').attach('file', file, { filename });
  const refused: [Buffer, string, number][] = [
    [Buffer.alloc(10 * 1024 * 1024, 'x'), 'a.jpg', 413],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'a.png', 415],
    [report, 'a.pdf', 422],
    [jpeg.subarray(0, 300), 'a.jpg', 422],
  ];
  for (const [file, filename, status] of refused) expect((await send(file, filename)).status, filename).toBe(status);
  expect(await models.Photo.countDocuments({ user: person._id })).toBe(0);
  const first = (await send(jpeg, 'a.jpg').expect(200)).body.data.photo;
  const second = (await send(jpeg, 'a.jpg').expect(200)).body.data.photo;
  const [kept, ...others] = await models.Photo.find({ user: person._id }).lean<PhotoDoc[]>();
  expect([String(kept?._id), others, first === second, kept?.received]).toEqual([second, [], false, undefined]);
  expect(bufferOf(kept?.picture?.sealed ?? Buffer.alloc(0)).includes('WEBP')).toBe(false);
  const path = `/users/${person.id}/photo`;
  const { body, headers } = await new Client(test.url).as(owner).get(path).buffer().expect(200);
  expect(await sharp(body as Buffer).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 });
  expect((body as Buffer).includes(secret)).toBe(false);
  expect(headers).toMatchObject({ 'content-type': 'image/webp', 'cache-control': 'no-store' });
  expect((await new Client(test.url).as(owner).get(`/users/${person.id}`).expect(200)).body.data.photo).toBe(second);
  await new Client(test.url).as(stranger).get(path).expect(404);
  await mine.del('/users/profile/photo').expect(200);
  await new Client(test.url).as(owner).get(path).expect(404);
  expect(await models.Photo.countDocuments({ user: person._id })).toBe(0);
  const types = await models.Event.distinct('type', { record: person._id, status: 'success' });
  expect(types).toEqual(expect.arrayContaining(['profile.photo', 'profile.photoRemoved']));
  // The photo is removed with the account.
  await send(jpeg, 'a.jpg').expect(200);
  await mine.del('/users/profile', { password: PASSWORD }).expect(200);
  expect(await models.Photo.countDocuments({ user: person._id })).toBe(0);
});

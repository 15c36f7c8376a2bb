import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@lightbox/core/db/ids.js';
import { system } from '@lightbox/core/events/events.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { PhotoDoc } from '@lightbox/core/models/photo.js';
import { type JobData, type JobName, jobs } from '@lightbox/core/queues/jobs.js';
import { sealPhoto } from '@lightbox/core/users/photos.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import type { Job } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reviveAnalyses } from './maintenance/repair.js';
import { buildImage } from './testing/buildImage.js';
import { type RunningWorker, startWorker } from './worker.js';

/** BullMQ counts here how often nobody held the lock of a job: its worker died, or is too busy. */
const COUNT = 'stc';

/** A worker whose model server never answers. */
let worker: RunningWorker;
let model: Server;
let asked = 0;
const picture = readFileSync(new URL('../../backend/assets/demo/hand-xray.jpg', import.meta.url));

beforeAll(async () => {
  model = createServer(() => asked++).listen(0, '127.0.0.1');
  await once(model, 'listening');
  const config = await testConfig();
  const { port } = model.address() as AddressInfo;
  const ai = { ...config.ai, provider: 'openai', model: 'm', baseUrl: `http://127.0.0.1:${port}/v1` } as const;
  const queues = ['analysis', 'previews', 'notifications', 'webhooks'] as const;
  worker = await startWorker({ ...config, ai, worker: { ...config.worker, queues: [...queues] } });
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  model?.closeAllConnections();
  model?.close();
});

/** Enters a job during which so many workers have died, one after the other. It waits for its time. */
async function enterDeadly<N extends JobName>(name: N, data: JobData<N>, deaths: number): Promise<Job> {
  const queue = worker.core.queues.all[jobs[name].queue];
  const { attempts } = jobs[name];
  const job = await queue.add(name, data, { attempts, delay: 3_600_000 });
  await worker.core.redis.hset(queue.toKey(String(job.id)), COUNT, deaths);
  return job;
}

/** Enters such a job as one that can run, and waits until it has failed for good. */
async function giveUp<N extends JobName>(name: N, data: JobData<N>, deaths: number): Promise<void> {
  const job = await enterDeadly(name, data, deaths);
  await job.promote();
  await eventually(async () => expect(await job.getState()).toBe('failed'));
  const count = await worker.core.redis.hget(worker.core.queues.all[jobs[name].queue].toKey(String(job.id)), COUNT);
  expect(count, 'an administrator can have it tried again').toBeNull();
}

async function buildRun(changes: Partial<AnalysisDoc> = {}): Promise<ImageDoc> {
  const { core } = worker;
  const image = await buildImage(core, picture, { analysis: 'active' });
  const startedAt = core.clock.now();
  const run = { _id: image._id, status: 'active', progress: 5, run: 1, requestedBy: image.owner, startedAt } as const;
  await core.models.Analysis.create([{ ...run, ...changes }]);
  return image;
}

describe('a job that ends its worker again and again', () => {
  it('ends the analysis as failed, its people are told, and it is not taken for lost', async () => {
    const { core } = worker;
    const { _id, owner } = await buildRun({ startedAt: new Date(core.clock.now().getTime() - 3_600_000) });
    const queue = core.queues.all.analysis;
    const job = await enterDeadly('analyseImage', { imageId: String(_id) }, 3);
    const id = String(job.id);
    // The state after the next death.
    await core.redis.multi().zrem(queue.toKey('delayed'), id).lpush(queue.toKey('active'), id).exec();
    await eventually(async () => expect(await job.getState()).toBe('failed'));
    const analysis = await core.models.Analysis.findById(_id).lean<AnalysisDoc>();
    expect(analysis).toMatchObject({ status: 'failed', reasonCode: 'UNFORESEEN', run: 1 });
    expect(await core.models.Image.findById(_id).lean<ImageDoc>()).toMatchObject({ analysis: 'failed' });
    const told = await core.models.Event.findOne({ type: 'analysis.fail', record: _id }).lean<EventDoc>();
    expect(told?.owners).toEqual([owner]);
    expect(told?.recipients.map(String)).toContain(String(owner));
    await reviveAnalyses(core);
    expect(await core.models.Analysis.findById(_id).lean<AnalysisDoc>()).toMatchObject({ status: 'failed', run: 1 });
    expect(asked).toBe(0);
  });

  it('leaves an image without a preview, and not one that waits for it', async () => {
    const { _id } = await buildImage(worker.core, picture, { preview: 'pending' });
    await giveUp('renderPreview', { imageId: String(_id) }, 4);
    expect(await worker.core.models.Image.findById(_id).lean<ImageDoc>()).toMatchObject({ preview: 'none' });
  });

  it('removes the file of the photo', async () => {
    const { core } = worker;
    const _id = newId();
    const received = sealPhoto(core.keys, _id, 'received', picture);
    await core.models.Photo.create([{ _id, user: newId(), createAt: core.clock.now(), received }]);
    await giveUp('renderPhoto', { photoId: String(_id) }, 4);
    const photo = await core.models.Photo.findById(_id).lean<PhotoDoc>();
    expect([photo?.received, photo?.picture]).toEqual([undefined, undefined]);
  });

  it('tells those who wait for a frame or a copy that there is none', async () => {
    const { core } = worker;
    const { _id: image } = await buildImage(core, picture);
    const [frame, copy] = [newId(), newId()];
    const createAt = core.clock.now();
    await core.models.Rendering.create([{ _id: frame, image, frame: 1, createAt }]);
    const wish = { _id: copy, image, copyId: newId(), rectangles: [], noTextLeft: false, createAt };
    await core.models.BlackOut.create([wish]);
    await giveUp('renderFrame', { renderingId: String(frame) }, 4);
    await giveUp('blackOut', { blackOutId: String(copy) }, 4);
    expect(await core.models.Rendering.findById(frame).lean()).toMatchObject({ failed: true });
    expect(await core.models.BlackOut.findById(copy).lean()).toMatchObject({ failed: true });
  });

  it('ends the delivery to a webhook, and the reminders', async () => {
    const { core } = worker;
    const now = core.clock.now();
    const [delivery, webhook, user] = [newId(), newId(), newId()];
    const due = new Date(now.getTime() - 60_000);
    // Maintenance removes the deliveries of a webhook that is gone.
    await core.models.Webhook.collection.insertOne({ _id: webhook } as never);
    await core.models.WebhookDelivery.collection.insertOne({
      ...{ _id: delivery, webhook, event: newId(), type: 'share.created', data: {}, at: now, createAt: now },
      ...{ state: 'waiting', turn: 2, tries: 0, round: 0, nextTryAt: due },
    });
    const about = { user, channel: 'mail', kind: 'share.created', about: 'event', record: newId() } as const;
    await core.models.Reminder.create([{ _id: newId(), ...about, at: due, dueAt: due }]);
    await giveUp('deliverWebhook', { deliveryId: String(delivery), turn: 2 }, 11);
    await giveUp('sendReminder', { userId: String(user), channel: 'mail' }, 11);
    const ended = await core.models.WebhookDelivery.findById(delivery).lean();
    expect([ended?.state, ended?.nextTryAt]).toEqual(['failed', undefined]);
    expect(await core.models.Reminder.countDocuments({ user, dueAt: { $exists: true } })).toBe(0);
  });

  it('is not entered again by its event', async () => {
    const { core } = worker;
    const record = newId();
    await core.events.record(system, { type: 'share.verify', record, recipients: [newId()], refs: { share: newId() } });
    const find = () => core.models.Event.findOne({ record }).lean<EventDoc>();
    await eventually(async () => expect((await find())?.owed).toEqual([]));
    const event = (await find())?._id as EventDoc['_id'];
    await core.models.Notification.deleteMany({ event });
    await core.models.Event.updateOne({ _id: event }, { $set: { owed: ['notify'] } });
    await giveUp('notify', { eventId: String(event) }, 11);
    expect((await find())?.owed).toEqual([]);
    expect(await core.models.Notification.countDocuments({ event })).toBe(0);
  });
});

it('A worker that lost the lock of its job, and lives, does not count as one that the job has ended.', async () => {
  const { core } = worker;
  const { _id } = await buildRun();
  const queue = core.queues.all.analysis;
  const job = await queue.add('analyseImage', { imageId: String(_id) }, { attempts: 3 });
  const before = asked;
  await eventually(() => expect(asked).toBe(before + 1));
  // The state after Redis was away for longer than the lock lasts, three times.
  const key = queue.toKey(String(job.id));
  await core.redis.multi().del(`${key}:lock`).hset(key, COUNT, 3).exec();
  await eventually(async () => expect(await core.redis.hget(key, COUNT)).toBeNull());
  expect((await core.models.Analysis.findById(_id).lean<AnalysisDoc>())?.status).toBe('active');
});

import { randomBytes } from 'node:crypto';
import { Client } from '@lightbox/backend/testing/client.js';
import { buildAdmin, buildPatient } from '@lightbox/backend/testing/factories.js';
import { buildGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import type { AuditAction, NotificationKind } from '@lightbox/contract/audit/actions.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { signEvent } from '@lightbox/core/audit/entry.js';
import { verifyAudit } from '@lightbox/core/audit/verify.js';
import { newId, ObjectId } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Job, Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { enterOwed } from './maintenance/enterOwed.js';
import { removeOrphanBlobs } from './maintenance/orphans.js';
import { sweepEvents } from './maintenance/sweepEvents.js';
import { enterReminders } from './notifications/reminders.js';
import { type RunningWorker, startWorker } from './worker.js';

/** A gateway and a worker of this version, beside records and jobs that only the next version knows. */
let test: TestGateway;
let worker: RunningWorker;

beforeAll(async () => {
  test = await buildGateway();
  const { config } = test;
  const queues = ['mail', 'notifications', 'webhooks'] as const;
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: [...queues] } });
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  await test?.stop();
});

const newAction = 'fax.sent' as AuditAction;

/** An event of the next version, signed like those of this one. */
async function plantEvent(changes: Partial<EventDoc> = {}): Promise<EventDoc> {
  const { models, keys } = worker.core;
  const event: EventDoc = {
    _id: newId(),
    type: newAction,
    status: 'success',
    table: 'faxes',
    record: newId(),
    recipients: [newId()],
    refs: {},
    ip: '192.0.2.7',
    reason: '',
    at: new Date(Date.now() - 60_000),
    pending: false,
    unaudited: false,
    ...changes,
  };
  const signed = signEvent(keys.audit, event);
  await models.Event.collection.insertOne(signed as never);
  return signed;
}

const stored = ({ _id }: EventDoc) => worker.core.models.Event.findById(_id).lean<EventDoc>();

describe('a job of a newer version waits and spends no attempt:', () => {
  const untouched = async (job: Job) => {
    await eventually(async () => expect(await job.getState()).toBe('delayed'));
    const now = await worker.core.queues.all[job.queueName as 'mail'].getJob(String(job.id));
    expect(now).toMatchObject({ attemptsMade: 0, data: job.data });
  };
  const add = (queue: 'mail' | 'notifications' | 'webhooks', name: string, data: object) =>
    worker.core.queues.all[queue].add(name, data, { attempts: 1 });

  it('one with another name', async () => untouched(await add('mail', 'sendFax', { eventId: String(newId()) })));

  it('a known one with other data', async () => {
    const event = await plantEvent({ owed: ['sendMail'] });
    await untouched(await add('mail', 'sendMail', { eventId: String(event._id), template: 'faxArrived' }));
    expect((await stored(event))?.owed).toEqual(['sendMail']);
  });

  it.each([
    ['notifications', 'notify', {}],
    ['mail', 'sendMail', { template: 'verificationCode' }],
  ] as const)('in %s, %s about another action', async (queue, name, more) => {
    const event = await plantEvent({ owed: [name] });
    await untouched(await add(queue, name, { eventId: String(event._id), ...more }));
    expect((await stored(event))?.owed).toEqual([name]);
  });

  it('a delivery to a webhook about another event', async () => {
    const { Webhook, WebhookDelivery } = worker.core.models;
    const [_id, webhook] = [newId(), newId()];
    const delivery = { _id, webhook, event: newId(), type: 'fax.sent', state: 'waiting', turn: 1, tries: 0, round: 0 };
    // Maintenance removes the deliveries of a webhook that is gone.
    await Webhook.collection.insertOne({ _id: webhook } as never);
    await WebhookDelivery.collection.insertOne({ ...delivery, data: {}, at: new Date() } as never);
    await untouched(await add('webhooks', 'deliverWebhook', { deliveryId: String(_id), turn: 1 }));
    expect(await WebhookDelivery.findById(_id).lean()).toMatchObject({ state: 'waiting', turn: 1 });
  });

  it('one in a queue of its own', async () => {
    const faxes = new Queue('faxes', { connection: worker.core.redis });
    onTestFinished(() => faxes.close());
    const job = await faxes.add('sendFax', {});
    await enterOwed(worker.core);
    expect(await job.getState()).toBe('waiting');
  });
});

it('An event of a newer version stays pending, and keeps the jobs that it owes.', async () => {
  const { core } = worker;
  const pending = await plantEvent({ pending: true, owed: ['sendFax' as never] });
  const owing = await plantEvent({ owed: ['sendFax' as never] });
  await sweepEvents(core);
  await enterOwed(core);
  expect(await stored(pending)).toMatchObject({ pending: true, owed: ['sendFax'] });
  expect(await stored(owing)).toMatchObject({ owed: ['sendFax'] });
});

it('An audit action of a newer version is appended whole, with facts that this version does not know, and can be read.', async () => {
  const { models, keys } = worker.core;
  const facts = { page: '3', machine: 'f1' };
  const event = await plantEvent({ unaudited: true, more: facts });
  await appendAudit(models, keys.audit);
  const entry = await models.AuditEntry.findOne({ event: event._id }).lean();
  expect(entry).toMatchObject({ type: newAction, table: 'faxes', record: event.record, more: facts });
  expect(await verifyAudit(models, keys.audit)).toMatchObject({ ok: true });

  const admin = await buildAdmin(test.gateway);
  const api = new Client(test.url).as(admin);
  const rows = (await api.get('/audit/logs?limit=100').expect(200)).body.data as { actiontype: string }[];
  expect(rows.map(({ actiontype }) => actiontype)).toContain(newAction);
  for (const format of ['csv', 'fhir'])
    expect((await api.get(`/audit/export?format=${format}`).expect(200)).status).toBe(200);

  const change = (more: object) => models.AuditEntry.collection.updateOne({ event: event._id }, { $set: { more } });
  await change({ ...facts, page: '4' });
  expect(await verifyAudit(models, keys.audit)).toMatchObject({ ok: false, reason: 'changed' });
  await change(facts);
  expect(await verifyAudit(models, keys.audit)).toMatchObject({ ok: true });
});

it('An event whose further facts were changed on the way is foreign.', async () => {
  const { models, keys } = worker.core;
  const event = await plantEvent({ more: { page: '3' } });
  await models.Event.collection.updateOne({ _id: event._id }, { $set: { 'more.page': '4', unaudited: true } });
  await appendAudit(models, keys.audit);
  expect(await models.AuditEntry.findOne({ event: event._id }).lean()).toMatchObject({ type: 'audit.foreign' });
});

it('A notice and a reminder of a kind that only a newer version knows stay as they are.', async () => {
  const { models } = worker.core;
  const kind = 'fax.arrived' as NotificationKind;
  const person = await buildPatient(test.gateway);
  const notice = {
    _id: newId(),
    user: person._id,
    event: newId(),
    record: newId(),
    at: new Date(),
    unread: true,
    kind,
  };
  await models.Notification.collection.insertOne(notice as never);
  const api = new Client(test.url).as(person);
  const listed = (await api.get('/notifications').expect(200)).body.data;
  expect(listed).toMatchObject([{ id: String(notice._id), kind }]);

  const dueAt = new Date(Date.now() - 1_000);
  const about = { user: person._id, channel: 'mail', about: 'event', record: newId() };
  const reminder = { _id: newId(), ...about, kind, at: dueAt, dueAt };
  await models.Reminder.collection.insertOne(reminder as never);
  await enterReminders(worker.core);
  const { mail, notifications } = worker.core.queues.all;
  const entered = (await Promise.all([mail, notifications].map((queue) => queue.getJobs()))).flat();
  expect(entered.filter(({ data }) => data.userId === person.id)).toEqual([]);
  expect(await models.Reminder.findById(reminder._id).lean()).toMatchObject({ dueAt });
});

it('Blobs that belong to no record of this version stay while a later version uses the database.', async () => {
  const { core } = worker;
  const old = ObjectId.createFromTime(Math.floor(Date.now() / 1000) - 2 * 3_600);
  const write = () =>
    core.blobs.named('gridfs').write(
      old,
      randomBytes(32),
      (async function* () {
        yield Buffer.from('a fax');
      })(),
    );
  await write();
  const there = async () => (await core.blobs.between(ObjectId.createFromTime(0), newId(), 10)).map(String);
  await core.models.Task.collection.insertOne({ _id: 'upgrade:faxes', nextAt: new Date(), compatible: true } as never);
  await removeOrphanBlobs(core);
  expect(await there()).toContain(String(old));
  await core.models.Task.deleteOne({ _id: 'upgrade:faxes' });
  await removeOrphanBlobs(core);
  const later = { now: () => new Date(core.clock.now().getTime() + 120_000) };
  await removeOrphanBlobs(Object.assign(Object.create(core), { clock: later }));
  expect(await there()).not.toContain(String(old));
});

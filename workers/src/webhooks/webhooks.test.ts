import { Client } from '@lightbox/backend/testing/client.js';
import {
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
} from '@lightbox/backend/testing/factories.js';
import { buildGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { limits } from '@lightbox/contract/limits.js';
import type { WebhookDelivery } from '@lightbox/contract/webhooks/calls.js';
import { WebhookBody, webhookEvents } from '@lightbox/contract/webhooks/events.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { system } from '@lightbox/core/events/events.js';
import type { JobRequest } from '@lightbox/core/queues/queues.js';
import { newDelivery } from '@lightbox/core/webhooks/deliveries.js';
import { type ReceivedWebhook, startWebhookReceiver, type WebhookReceiver } from '@lightbox/testkit/webhookReceiver.js';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPoster } from '../net/poster.js';
import { type RunningWorker, startWorker } from '../worker.js';
import { enterDeliveries } from './enterDeliveries.js';
import { removeDeliveries } from './removeDeliveries.js';

let test: TestGateway;
let worker: RunningWorker;
let receiver: WebhookReceiver;
let api: Client;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  test = await buildGateway({ webhookOrigins: [receiver.origin] });
  const { config } = test;
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: ['webhooks', 'notifications'] } });
  api = new Client(test.url);
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  await test?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  // The next tries of an earlier test find nothing.
  const { Webhook: Webhooks, WebhookDelivery: Deliveries } = test.gateway.models;
  await Promise.all([Webhooks.deleteMany({}), Deliveries.deleteMany({})]);
  receiver.received.length = 0;
  receiver.answers.length = 0;
});

interface Made {
  id: string;
  secret: string;
  path: string;
}

/** Creates a webhook with a path of its own at the receiver. */
async function make(person: Person, where = '/webhooks', url?: string): Promise<Made> {
  const path = `/${newId()}`;
  const body = { url: url ?? `${receiver.origin}${path}`, events: webhookEvents };
  const made = (await api.as(person).post(where, body).expect(201)).body.data;
  return { id: made.id, secret: made.secret, path };
}

const deliveries = async (person: Person, { id }: Made): Promise<WebhookDelivery[]> =>
  (await api.as(person).get(`/webhooks/${id}/deliveries`).expect(200)).body.data;

const settled = async (person: Person, made: Made, state: WebhookDelivery['state'], count = 1) => {
  const those = async () => (await deliveries(person, made)).filter((one) => one.state === state);
  await expect.poll(async () => (await those()).length).toBe(count);
  return those();
};

const at = ({ path }: Made): ReceivedWebhook[] => receiver.received.filter((one) => one.path === path);

/** Verifies with the library of the standard, and returns the body. */
function verified({ secret }: Pick<Made, 'secret'>, { body, headers }: ReceivedWebhook): WebhookBody {
  const told = new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(headers['webhook-id']).toBe((told as WebhookBody).id);
  return WebhookBody.strict().parse(told);
}

/** Makes the next try of a delivery due now. */
async function hurry({ id }: WebhookDelivery): Promise<void> {
  const job = (await test.gateway.queues.all.webhooks.getDelayed()).find(({ data }) => data.deliveryId === id);
  await job?.promote();
}

describe('an event', () => {
  it('is sent to its people and to the installation, signed, and with ids alone', async () => {
    const [owner, recipient, stranger, admin] = await Promise.all([
      buildProvider(test.gateway),
      buildPatient(test.gateway),
      buildProvider(test.gateway),
      buildAdmin(test.gateway),
    ]);
    const image = await buildImage(test.gateway, { owner });
    const [own, theirs, foreign, whole] = [
      await make(owner),
      await make(recipient),
      await make(stranger),
      await make(admin, '/webhooks/installation'),
    ];
    const { body } = await api
      .as(owner)
      .post('/sharing/request', { imagemetadataId: image.id, createdfor: recipient.id })
      .expect(201);
    await receiver.untilReceived(3);
    for (const made of [own, theirs, whole]) {
      const [told] = at(made);
      if (!told) throw new Error('Nothing arrived.');
      expect(verified(made, told)).toMatchObject({
        type: 'share.created',
        data: { shareId: body.data.sharingRequestId ?? body.data.id, imageId: image.id },
      });
      expect(Object.keys(JSON.parse(told.body))).toEqual(['id', 'type', 'timestamp', 'data']);
    }
    expect(at(foreign)).toEqual([]);
    await settled(owner, own, 'delivered');
    await api.as(admin).del(`/webhooks/${whole.id}`).expect(200);
  });

  it('of a message has its sender, and no text', async () => {
    const [writer, reader] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
    const made = await make(reader);
    const sent = { recipientId: reader.id, content: 'Planted-Secret-Text' };
    const { body } = await api.as(writer).post('/message/send', sent).expect(201);
    await receiver.untilReceived(1);
    const [told] = at(made);
    if (!told) throw new Error('Nothing arrived.');
    expect(verified(made, told)).toMatchObject({
      type: 'message.new',
      data: { messageId: body.data.id, userId: writer.id },
    });
    expect(told.body).not.toContain('Planted');
  });

  it('of a share that was revoked meanwhile is withheld from its recipient; the end of the share is told', async () => {
    const share = await buildShare(test.gateway, { verified: true });
    const made = await make(share.recipient);
    const event = { record: share.image._id, recipients: [share.recipient._id] };
    // The address answers 500 until the share has ended.
    receiver.answers.push((response) => response.writeHead(500).end());
    await worker.core.events.record(system, { type: 'share.verify', ...event, refs: { share: share._id } });
    const [waiting] = await failedOnce(share.recipient, made);
    await api.as(share.image.owner).del(`/sharing/${share.id}`).expect(200);
    await receiver.untilReceived(2);
    await hurry(waiting as WebhookDelivery);
    await settled(share.recipient, made, 'withheld');
    await worker.core.events.record(system, { type: 'analysis.signed', ...event });
    await settled(share.recipient, made, 'withheld', 2);
    expect(at(made).map(({ body }) => JSON.parse(body).type)).toEqual(['share.verified', 'share.revoked']);
  });

  it('is not told to a person whose account is not active', async () => {
    const person = await buildProvider(test.gateway);
    const made = await make(person);
    await test.gateway.models.User.updateOne({ _id: person._id }, { $set: { active: false } });
    await upload(person);
    const { WebhookDelivery } = test.gateway.models;
    const state = async () => (await WebhookDelivery.findOne({ webhook: oid(made.id) }).lean())?.state;
    await expect.poll(state).toBe('withheld');
    expect(at(made)).toEqual([]);
  });
});

/** Records the upload of an image of this person. */
async function upload(owner: Person) {
  const image = await buildImage(test.gateway, { owner });
  await worker.core.events.record(system, { type: 'image.upload', record: image._id, recipients: [owner._id] });
  return image;
}

const failedOnce = async (person: Person, made: Made) => {
  const tried = async () =>
    (await deliveries(person, made)).filter(({ tries, state }) => tries > 0 && state === 'waiting');
  await expect.poll(async () => (await tried()).length).toBe(1);
  return tried();
};

describe('a delivery', () => {
  it('that fails is tried again later with the same id and a new signature, and replayed by hand', async () => {
    const person = await buildProvider(test.gateway);
    const made = await make(person);
    receiver.answers.push((response) => response.writeHead(500).end());
    await upload(person);
    const [waiting] = await failedOnce(person, made);
    expect(waiting).toMatchObject({ state: 'waiting', tries: 1, status: 500, fault: 'answer' });
    const [{ failingSince }] = (await api.as(person).get('/webhooks').expect(200)).body.data;
    expect(failingSince).toEqual(expect.any(String));
    await hurry(waiting as WebhookDelivery);
    const [done] = await settled(person, made, 'delivered');
    expect(done).toMatchObject({ tries: 2, status: 204 });
    expect(done).not.toHaveProperty('fault');
    expect((await api.as(person).get('/webhooks').expect(200)).body.data[0]).not.toHaveProperty('failingSince');
    await api.as(person).post(`/webhooks/deliveries/${done?.id}/replay`, {}).expect(200);
    await receiver.untilReceived(3);
    expect(new Set(at(made).map((told) => verified(made, told).id)).size).toBe(1);
    await expect.poll(async () => (await deliveries(person, made))[0]?.tries).toBe(3);
  });

  it.each([
    ['a redirect', (response) => response.writeHead(302, { location: `${receiver.origin}/inside` }).end()],
    [
      'an endless answer',
      (response) => {
        response.writeHead(500);
        const timer = setInterval(() => response.write('x'.repeat(8192)), 1);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['a broken connection', (response) => response.destroy()],
  ] as [string, WebhookReceiver['answers'][number]][])(
    'that meets %s is a failure, and nothing else is asked',
    async (_, answer) => {
      const person = await buildProvider(test.gateway);
      const made = await make(person);
      receiver.answers.push(answer);
      await upload(person);
      await failedOnce(person, made);
      expect(receiver.received).toHaveLength(1);
    },
  );

  it('that gets no answer ends with its time', async () => {
    receiver.answers.push(() => undefined);
    const poster = createPoster([receiver.origin]);
    await expect(poster.post(`${receiver.origin}/x`, {}, null, 100)).rejects.toMatchObject({ name: 'AbortError' });
    poster.close();
  });

  it('does not go to an address inside, however its name resolves', async () => {
    const person = await buildProvider(test.gateway);
    const made = await make(person);
    const { port } = new URL(receiver.origin);
    // As after a change of the name: the address was public when it was stored.
    for (const url of [`https://127.0.0.1:${port}/x`, `http://localhost:${port}/x`, 'https://localhost/x']) {
      await test.gateway.models.Webhook.updateOne({ _id: oid(made.id) }, { $set: { url } });
      const image = await upload(person);
      const { WebhookDelivery } = test.gateway.models;
      const fault = async () => (await WebhookDelivery.findOne({ 'data.imageId': image.id }).lean())?.fault;
      await expect.poll(fault).toBe('address');
    }
    expect(receiver.received).toEqual([]);
  });

  /** A delivery that failed once, whose next try is due, and whose job is lost. `enter`: what the worker's timer does. */
  async function lostJob() {
    const person = await buildProvider(test.gateway);
    const made = await make(person);
    receiver.answers.push((response) => response.writeHead(503).end());
    await upload(person);
    await failedOnce(person, made);
    await test.gateway.redis.flushdb();
    const due = new Date(Date.now() - 120_000);
    await test.gateway.models.WebhookDelivery.updateOne({ webhook: oid(made.id) }, { $set: { nextTryAt: due } });
    return { person, made, enter: () => enterDeliveries(worker.core) };
  }

  it('survives that Redis loses its job', async () => {
    const { person, made, enter } = await lostJob();
    await enter();
    await settled(person, made, 'delivered');
    expect(new Set(at(made).map((told) => verified(made, told).id)).size).toBe(1);
  });

  it('gets a new job for a lost one, however many others have lost theirs', async () => {
    // Years ahead, so that the running worker finds none of them overdue meanwhile.
    const due = new Date('2038-09-04T04:15:00Z');
    const { id } = await make(await buildProvider(test.gateway));
    const overdue = Array.from({ length: 501 }, () => ({
      ...newDelivery(oid(id), { event: newId(), type: 'webhook.test', data: {}, at: due }, due),
      _id: newId(),
    }));
    await test.gateway.models.WebhookDelivery.insertMany(overdue);
    const entered: string[] = [];
    const add = async (jobs: JobRequest[]) => {
      entered.push(...jobs.map(({ id }) => String(id)));
    };
    const now = () => new Date(due.getTime() + 120_000);
    await enterDeliveries({ ...worker.core, queues: { add }, clock: { now } } as never);
    expect(entered.toSorted()).toEqual(overdue.map(({ _id }) => `${_id}-0-webhook`).toSorted());
  });

  it('that was stored while its webhook was deleted goes with its first try', async () => {
    const { made, enter } = await lostJob();
    const { Webhook, WebhookDelivery } = test.gateway.models;
    await Webhook.deleteOne({ _id: oid(made.id) });
    await enter();
    const left = () => WebhookDelivery.countDocuments({ webhook: oid(made.id) });
    await expect.poll(left).toBe(0);
  });

  it('goes when its webhook is gone, however many it has, and those of others stay', async () => {
    const person = await buildProvider(test.gateway);
    const [gone, kept] = [await make(person), await make(person)];
    const { Webhook, WebhookDelivery } = test.gateway.models;
    const stored = ({ id }: Made) => {
      const now = test.clock.now();
      const news = { event: newId(now), type: 'image.uploaded', data: {}, at: now } as const;
      const { nextTryAt: _n, ...delivery } = newDelivery(oid(id), news, now);
      return { ...delivery, state: 'delivered' as const };
    };
    await WebhookDelivery.insertMany([...Array.from({ length: 501 }, () => stored(gone)), stored(kept)]);
    expect(await removeDeliveries(worker.core)).toBe(false);
    await Webhook.deleteOne({ _id: oid(gone.id) });
    while (await removeDeliveries(worker.core));
    expect(await WebhookDelivery.distinct('webhook')).toEqual([oid(kept.id)]);
    expect(await deliveries(person, kept)).toHaveLength(1);
    const plan = await test.gateway.db.db?.command({
      explain: { distinct: WebhookDelivery.collection.name, key: 'webhook' },
    });
    expect(JSON.stringify(plan)).toContain('DISTINCT_SCAN');
  });

  it('is signed with both secrets after a rotation', async () => {
    const person = await buildProvider(test.gateway);
    const made = await make(person);
    const renewed = (await api.as(person).post(`/webhooks/${made.id}/secret`, {}).expect(200)).body.data;
    expect(renewed.secret).not.toBe(made.secret);
    await api.as(person).post(`/webhooks/${made.id}/test`, {}).expect(201);
    await receiver.untilReceived(1);
    const [told] = at(made);
    for (const { secret } of [made, renewed]) {
      expect(verified({ secret }, told as ReceivedWebhook)).toMatchObject({ type: 'webhook.test', data: {} });
    }
  });
});

describe('a webhook', () => {
  it.each([
    ['answers 410', 410, 0],
    [`has failed for ${limits.webhookFailingDays} days`, 500, limits.webhookFailingDays * 24 + 1],
  ])('is turned off when its address %s, and its owner is notified', async (_, status, hours) => {
    const person = await buildProvider(test.gateway);
    const made = await make(person);
    const { Webhook: Webhooks } = test.gateway.models;
    const failingSince = new Date(Date.now() - hours * 3_600_000);
    await Webhooks.updateOne({ _id: oid(made.id) }, { $set: { failingSince } });
    receiver.answers.push((response) => response.writeHead(status).end());
    await upload(person);
    const notices = async () => (await api.as(person).get('/notifications').expect(200)).body.data;
    await expect.poll(notices).toMatchObject([{ kind: 'webhook.stopped', recordId: made.id }]);
    const [shown] = (await api.as(person).get('/webhooks').expect(200)).body.data;
    expect(shown).toMatchObject({ on: false, stoppedAt: expect.any(String) });
    await upload(person);
    await api.as(person).post(`/webhooks/${made.id}/test`, {}).expect(409);
    expect(receiver.received).toHaveLength(1);
  });
});

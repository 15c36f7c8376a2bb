import { randomBytes } from 'node:crypto';
import { PushPayload } from '@lightbox/contract/push/calls.js';
import { vapidPublicKey } from '@lightbox/core/config/keys.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { system } from '@lightbox/core/events/events.js';
import { conversationOf, dispatchMessages } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { PushSubscriptionDoc } from '@lightbox/core/models/pushSubscription.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { type PushService, startPushService, type TestBrowser } from '@lightbox/testkit/pushService.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from '../worker.js';

let service: PushService;
let worker: RunningWorker;
const vapidKey = randomBytes(32).toString('base64');
const secret = 'Planted-Secret-Text';

beforeAll(async () => {
  service = await startPushService();
  worker = await startWorker(await testConfig({ vapidKey, pushOrigins: [service.origin] }));
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  await service?.stop();
});

async function buildPerson(changes: Partial<UserDoc> = {}): Promise<ObjectId> {
  const username = randomBytes(6).toString('hex');
  const user: UserDoc = {
    _id: newId(),
    email: `${secret}-${username}@hospital.test`,
    username,
    usernameKey: username,
    passwordHash: 'none',
    role: 'patient',
    status: 'active',
    active: true,
    firstname: secret,
    words: [],
    sortKey: '',
    createAt: new Date(),
    ...changes,
  };
  await worker.core.models.User.create([user]);
  return user._id;
}

async function subscribe(user: ObjectId, browser = service.subscribe()): Promise<TestBrowser> {
  const { endpoint, keys } = browser.subscription;
  const subscription: PushSubscriptionDoc = {
    _id: newId(),
    user,
    session: newId(),
    endpoint,
    ...keys,
    seenAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
  };
  await worker.core.models.PushSubscription.create([subscription]);
  return browser;
}

/** Records an event that causes a notice. Resolves to the image of the event. */
async function share(to: ObjectId[], record = newId()): Promise<ObjectId> {
  await worker.core.events.record(system, {
    type: 'share.verify',
    refs: { share: newId() },
    record,
    recipients: to,
    reason: secret,
  });
  return record;
}

async function write(sender: ObjectId, recipient: ObjectId, seq: number): Promise<MessageDoc> {
  const conversation = conversationOf(sender, recipient);
  const message: MessageDoc = {
    _id: newId(),
    conversation,
    seq,
    sender,
    recipient,
    members: [sender, recipient],
    content: secret,
    createAt: new Date(),
    pending: true,
  };
  const { models } = worker.core;
  await models.Conversation.updateOne(
    { _id: conversation },
    { $set: { seq, lastAt: new Date() }, $setOnInsert: { members: [sender, recipient], read: {} } },
    { upsert: true },
  );
  await models.Message.create([message]);
  return message;
}

const read = ({ _id }: MessageDoc) => worker.core.models.Message.updateOne({ _id }, { $set: { readAt: new Date() } });

const isKept = async ({ subscription }: TestBrowser): Promise<boolean> =>
  (await worker.core.models.PushSubscription.exists({ endpoint: subscription.endpoint })) !== null;

/** The push jobs in this state. */
const jobsOf = (state: 'completed' | 'failed' | 'delayed') => worker.core.queues.all.notifications.getJobs([state]);

async function settled(browser: TestBrowser, state: 'completed' | 'failed' | 'delayed') {
  const { endpoint } = browser.subscription;
  const subscription = await worker.core.models.PushSubscription.findOne({ endpoint }).lean();
  const mine = async () =>
    (await jobsOf(state)).find(
      ({ data, name }) => name === 'deliverPush' && data.subscriptionId === String(subscription?._id),
    );
  // Of one look: a job that waits begins again after ten seconds.
  let found: Awaited<ReturnType<typeof mine>>;
  await expect
    .poll(async () => {
      found = await mine();
      return found;
    })
    .toBeTruthy();
  return found;
}

describe('a notification', () => {
  it('is pushed to every browser of the person, signed, and without content', async () => {
    const person = await buildPerson();
    const [desk, phone] = [await subscribe(person), await subscribe(person)];
    const image = await share([person]);
    for (const browser of [desk, phone]) {
      await browser.untilAsked(1);
      const [push] = browser.received;
      expect(push?.vapid).toMatchObject({ aud: service.origin, key: vapidPublicKey(vapidKey) });
      expect(PushPayload.parse(JSON.parse(push?.text ?? ''))).toEqual({
        kind: 'share.verified',
        recordId: String(image),
      });
      expect(push?.headers).toMatchObject({ ttl: '86400', urgency: 'normal', 'content-encoding': 'aes128gcm' });
      expect(push?.headers.topic).toMatch(/^[\w-]{22}$/);
      expect(JSON.stringify(push)).not.toMatch(/secret|hospital/i);
    }
  });

  it('has the same length as any other, and the topic of its kind', async () => {
    const person = await buildPerson();
    const browser = await subscribe(person);
    await share([person]);
    await browser.untilAsked(1);
    await share([person]);
    await browser.untilAsked(2);
    const writer = await buildPerson();
    await dispatchMessages(worker.core, [await write(writer, person, 1)]);
    await browser.untilAsked(3);
    expect(new Set(browser.received.map(({ text }) => text.length)).size).toBe(1);
    const [first, second, third] = browser.received.map(({ headers }) => headers.topic);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('is pushed once, however often its event is handed over', async () => {
    const person = await buildPerson();
    const browser = await subscribe(person);
    const record = await share([person]);
    await browser.untilAsked(1);
    const { models, events } = worker.core;
    const event = await models.Event.findOne({ record }).lean();
    if (!event) throw new Error('The event is gone.');
    await events.dispatch([{ ...event, pending: true }]);
    await share([person]);
    await browser.untilAsked(2);
    expect(browser.asked()).toBe(2);
  });

  it('is not pushed to a person with a tab in the foreground, nor to a deactivated account', async () => {
    const [looking, inactive, away] = [await buildPerson(), await buildPerson({ active: false }), await buildPerson()];
    const browsers = [await subscribe(looking), await subscribe(inactive), await subscribe(away)];
    await worker.core.foreground.renew([String(looking)]);
    await share([looking, inactive, away]);
    await Promise.all(browsers.map((browser) => settled(browser, 'completed')));
    expect(browsers.map((browser) => browser.asked())).toEqual([0, 0, 1]);
  });
});

describe('a message', () => {
  it('is pushed without its text, and a burst makes one push', async () => {
    const [writer, other, person] = [await buildPerson(), await buildPerson(), await buildPerson()];
    const browser = await subscribe(person);
    const messages = [await write(writer, person, 1), await write(writer, person, 2), await write(other, person, 1)];
    for (const message of messages) await dispatchMessages(worker.core, [message]);
    await browser.untilAsked(1);
    expect(JSON.parse(browser.received[0]?.text ?? '')).toEqual({ kind: 'message.new', recordId: String(writer) });
    expect(browser.received[0]?.headers.urgency).toBe('high');
    // All messages of the next half minute wait for its end together.
    await settled(browser, 'completed');
    for (const seq of [3, 4]) await dispatchMessages(worker.core, [await write(writer, person, seq)]);
    const waiting = async () => (await jobsOf('delayed')).filter(({ name }) => name === 'pushMessage');
    await expect.poll(waiting).toMatchObject([{ attemptsMade: 0 }]);
    expect(browser.asked()).toBe(1);
  });

  it('is not pushed when it was read meanwhile', async () => {
    const [writer, person] = [await buildPerson(), await buildPerson()];
    const browser = await subscribe(person);
    const message = await write(writer, person, 1);
    await dispatchMessages(worker.core, [message]);
    await read(message);
    const done = async () => (await jobsOf('completed')).some(({ data }) => data.messageId === String(message._id));
    await expect.poll(done).toBe(true);
    expect(browser.asked()).toBe(0);
  });

  it('is pushed when an earlier one was read meanwhile', async () => {
    const [anna, ben, person] = [await buildPerson(), await buildPerson(), await buildPerson()];
    const browser = await subscribe(person);
    const [first, second] = [await write(anna, person, 1), await write(ben, person, 1)];
    await dispatchMessages(worker.core, [first, second]);
    await read(first);
    await browser.untilAsked(1);
    expect(JSON.parse(browser.received[0]?.text ?? '')).toEqual({ kind: 'message.new', recordId: String(ben) });
  });
});

describe('an answer of the push service with the status', () => {
  it.each([404, 410])('%i removes the subscription of the browser', async (status) => {
    const person = await buildPerson();
    const [gone, stays] = [await subscribe(person), await subscribe(person)];
    gone.answers.push(status);
    await share([person]);
    await Promise.all([gone.untilAsked(1), stays.untilAsked(1)]);
    await expect.poll(() => isKept(gone)).toBe(false);
    expect(await isKept(stays)).toBe(true);
  });

  it.each([429, 500, 503])('%i is retried, and the push arrives', async (status) => {
    const person = await buildPerson();
    const browser = await subscribe(person);
    browser.answers.push(status);
    const record = await share([person]);
    await browser.untilAsked(1);
    const job = await settled(browser, 'delayed');
    expect(job?.opts.backoff).toEqual({ type: 'exponential', delay: 10_000 });
    // Ends the wait of the job.
    await job?.promote();
    await browser.untilAsked(2);
    expect(JSON.parse(browser.received[0]?.text ?? '')).toMatchObject({ recordId: String(record) });
    expect(await isKept(browser)).toBe(true);
  });

  it('403 is not retried, and no log contains the endpoint of the browser', async () => {
    const person = await buildPerson();
    const browser = await subscribe(person);
    browser.answers.push(403);
    await share([person]);
    const job = await settled(browser, 'failed');
    expect(job?.failedReason).toBe('The push service answered 403.');
    expect(browser.asked()).toBe(1);
  });
});

it('An endpoint in the internal network is not asked, and its subscription is removed.', async () => {
  const person = await buildPerson();
  const browser = service.subscribe();
  const { port } = new URL(service.origin);
  for (const inside of [`https://127.0.0.1:${port}/x`, 'https://localhost/x', `http://localhost:${port}/x`]) {
    browser.subscription.endpoint = inside;
    await subscribe(person, browser);
  }
  await share([person]);
  const left = () => worker.core.models.PushSubscription.countDocuments({ user: person });
  await expect.poll(left).toBe(0);
  expect(browser.asked()).toBe(0);
});

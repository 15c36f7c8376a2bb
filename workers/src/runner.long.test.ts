import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { system } from '@lightbox/core/events/events.js';
import { conversationOf } from '@lightbox/core/messages/messages.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { oldestAway } from '@lightbox/core/queues/oldestAway.js';
import { checks } from '@lightbox/core/selfCheck/checks.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { startWire, type Wire } from '@lightbox/testkit/wire.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { enterOwed } from './maintenance/enterOwed.js';
import { enter, takeTurn } from './maintenance/schedule.js';
import { enterReminders, remindOfMessages } from './notifications/reminders.js';
import { type RunningWorker, startWorker } from './worker.js';

/** A worker for jobs, whose connection to MongoDB can be blocked. The tests run maintenance themselves. */
let mongodb: Wire;
let mailbox: Mailbox;
let worker: RunningWorker;

beforeAll(async () => {
  mailbox = await startMailbox();
  const config = await testConfig({ smtpUrl: mailbox.url });
  const uri = new URL(config.mongodbUri);
  mongodb = await startWire(uri.hostname, Number(uri.port));
  uri.port = String(mongodb.port);
  // The replica set reports its own address, which would bypass the wire.
  uri.searchParams.set('directConnection', 'true');
  const times = { serverSelectionTimeoutMS: 500, heartbeatFrequencyMS: 500, connectTimeoutMS: 500 };
  for (const [name, ms] of Object.entries(times)) uri.searchParams.set(name, String(ms));
  const queues = ['mail', 'notifications'] as const;
  worker = await startWorker({ ...config, mongodbUri: uri.href, worker: { ...config.worker, queues: [...queues] } });
  await worker.ready;
});
afterAll(async () => {
  mongodb?.pass();
  await worker?.stop();
  await mailbox?.stop();
  await mongodb?.stop();
});

/** Records an event that notifies its recipient. */
async function share(): Promise<EventDoc> {
  const { core } = worker;
  const record = newId();
  await core.events.record(system, { type: 'share.verify', record, recipients: [newId()], refs: { share: newId() } });
  const event = await core.models.Event.findOne({ record }).lean<EventDoc>();
  if (!event) throw new Error('The event is gone.');
  return event;
}

const notified = (events: EventDoc[]) =>
  worker.core.models.Notification.countDocuments({ event: { $in: events.map(({ _id }) => _id) } });
const owing = async ({ _id }: EventDoc) => (await worker.core.models.Event.findById(_id).lean())?.owed;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe('a job', () => {
  it('spends no attempt while MongoDB is away, and is done when it is back', async () => {
    const events = [await share(), await share(), await share()];
    await eventually(async () => expect(await notified(events)).toBe(3));
    await worker.core.models.Notification.deleteMany({});
    mongodb.hold();
    onTestFinished(() => mongodb.pass());
    const queue = worker.core.queues.all.notifications;
    const jobs = await Promise.all(
      events.map(({ _id }) => queue.add('notify', { eventId: String(_id) }, { attempts: 1 })),
    );
    const waiting = async () =>
      (await queue.getJobs(['delayed'])).filter(({ id }) => jobs.some((job) => job.id === id));
    // In one look: they begin again after two seconds.
    await eventually(async () => expect((await waiting()).map(({ attemptsMade }) => attemptsMade)).toEqual([0, 0, 0]));
    mongodb.pass();
    await eventually(async () => expect(await notified(events)).toBe(3));
  });

  it('that waits for a part that is away is not taken for one that ends its worker', async () => {
    const { core } = worker;
    const event = await share();
    await eventually(async () => expect(await notified([event])).toBe(1));
    await core.models.Notification.deleteMany({});
    const queue = core.queues.all.notifications;
    const job = await queue.add('notify', { eventId: String(event._id) }, { attempts: 1, delay: 3_600_000 });
    const key = queue.toKey(String(job.id));
    // One death more, and it would be given up. BullMQ counts in `stc`.
    await core.redis.hset(key, 'stc', 10);
    mongodb.hold();
    onTestFinished(() => mongodb.pass());
    await job.promote();
    await eventually(async () =>
      expect([await core.redis.hget(key, 'stc'), await job.getState()]).toEqual([null, 'delayed']),
    );
    mongodb.pass();
    await eventually(async () => expect(await notified([event])).toBe(1));
  });

  it('that waits long for a part that is away is seen by the metric and the self-check, until it is done or removed', async () => {
    const { core } = worker;
    const event = await share();
    await eventually(async () => expect(await notified([event])).toBe(1));
    await core.models.Notification.deleteMany({});
    const queue = core.queues.all.notifications;
    const seen = () => oldestAway(core.redis, queue);
    // The worker forgets a job that waited after it has done its work, so the job of the test before may still be known.
    await eventually(async () => expect(await seen()).toBeUndefined());
    const data = { eventId: String(event._id) };
    // It waits for its time, and not for a part.
    const planned = await queue.add('notify', data, { timestamp: minutesAgo(90).getTime(), delay: 100 * 60_000 });
    onTestFinished(() => planned.remove());
    expect(await seen()).toBeUndefined();
    mongodb.hold();
    onTestFinished(() => mongodb.pass());
    const [older, since] = [minutesAgo(40), minutesAgo(20)];
    const removed = await queue.add('notify', data, { timestamp: older.getTime() });
    await queue.add('notify', data, { timestamp: since.getTime() });
    await eventually(async () => expect(await seen()).toEqual(older));
    const { fault, saw } = await checks.queues(core);
    expect(fault).toBe('jobsWait');
    expect(saw.find(({ fact }) => fact === 'oldestJob')?.value).toBeGreaterThanOrEqual(40 * 60);
    await eventually(() => removed.remove());
    await eventually(async () => expect(await seen()).toEqual(since));
    mongodb.pass();
    await eventually(async () => expect(await notified([event])).toBe(1));
    await eventually(async () => expect(await seen()).toBeUndefined());
    expect((await checks.queues(core)).state).toBe('ok');
  });

  it('that Redis has lost is entered again until it is done, or has failed for good', async () => {
    const { core } = worker;
    const event = await share();
    await eventually(async () => expect(await owing(event)).toEqual([]));
    await core.models.Notification.deleteMany({});
    await core.redis.flushdb();
    // The state after Redis lost the job before a worker started it.
    const lost = { $set: { owed: ['notify'], pending: false, at: minutesAgo(1) } };
    await core.models.Event.updateOne({ _id: event._id }, lost);
    await enterOwed(core);
    await eventually(async () => expect(await notified([event])).toBe(1));
    await eventually(async () => expect(await owing(event)).toEqual([]));

    await core.models.Event.updateOne({ _id: event._id }, { $set: { owed: ['sendMail'] } });
    const data = { eventId: String(event._id), template: 'none' };
    // As old as a job can get: nothing waits for a version that knows this mail any more.
    const timestamp = minutesAgo(8 * 24 * 60).getTime();
    const failures = async () => {
      const counter = core.metrics.registry.getSingleMetric('bullmq_jobs_failed_total');
      return (await counter?.get())?.values.find(({ labels }) => labels.queue === 'mail')?.value;
    };
    const before = Number(await failures());
    const poison = await core.queues.all.mail.add('sendMail', data, { attempts: 12, timestamp });
    await eventually(async () => expect(await poison.getState()).toBe('failed'));
    await eventually(async () => expect(await owing(event)).toEqual([]));
    await eventually(async () => expect(await failures()).toBe(before + 1));
  });

  it('that lost its lock often, as on a machine without free processor time, is done all the same', async () => {
    const { core } = worker;
    const event = await share();
    await eventually(async () => expect(await notified([event])).toBe(1));
    await core.models.Notification.deleteMany({});
    const queue = core.queues.all.notifications;
    const { id = '' } = await queue.add('notify', { eventId: String(event._id) }, { delay: 3_600_000 });
    // The state after its lock was lost for the third time. BullMQ counts in `stc`.
    await core.redis
      .multi()
      .hset(queue.toKey(id), 'stc', 3)
      .zrem(queue.toKey('delayed'), id)
      .lpush(queue.toKey('active'), id)
      .exec();
    await eventually(async () => expect(await notified([event])).toBe(1));
  });

  it('settles a notice when nothing is left to do about its record, whatever comes first', async () => {
    const { core } = worker;
    const [user, image, share, provider] = [newId(), newId(), newId(), newId()];
    const base = { image, sharedBy: newId(), recipient: user, createAt: new Date(), codeExpiresAt: new Date() };
    const code = { salt: Buffer.alloc(16), keyId: 'k' };
    await core.models.Share.collection.insertOne({ _id: share, ...base, ...code, tries: 0, live: true });
    await core.models.User.collection.insertOne({ _id: provider, username: String(provider), status: 'pending' });
    const created = { type: 'share.create' as const, record: image, recipients: [user], refs: { share } };
    await core.events.record(system, created);
    await core.events.record(system, { type: 'auth.register', record: provider, recipients: [user], refs: {} });
    const unread = () => core.models.Notification.distinct('kind', { user, unread: true });
    await eventually(async () => expect(await unread()).toEqual(['provider.registered', 'share.created']));
    const verified = { type: 'share.verify' as const, record: image, recipients: [], refs: { share } };
    await core.events.record(system, verified);
    const done = await core.models.Event.findOne({ type: 'share.verify', record: image }).lean<EventDoc>();
    await eventually(async () => expect(done && (await owing(done))).toEqual([]));
    expect(await unread(), 'the state of the share decides').toContain('share.created');
    await core.models.Share.updateOne({ _id: share }, { $set: { verifiedAt: new Date() } });
    await core.models.User.updateOne({ _id: provider }, { $set: { status: 'active' } });
    await core.events.record(system, verified);
    await core.events.record(system, { type: 'user.approve', record: provider, recipients: [] });
    await eventually(async () => expect(await unread()).toEqual([]));
    await core.events.record(system, created);
    await eventually(async () => expect(await core.models.Notification.countDocuments({ user })).toBe(3));
    await eventually(async () => expect(await unread(), 'a late notice').toEqual([]));
  });

  it('that an older version left in Redis’s own schedule is removed', async () => {
    const queue = worker.core.queues.all.notifications;
    await queue.upsertJobScheduler('expireShares', { every: 200 }, { name: 'expireShares', data: {} });
    await eventually(async () => expect(await queue.getJobSchedulers()).toEqual([]));
  });
});

it('One of many workers does a maintenance task, and it runs again when it failed or more is left.', async () => {
  const { core } = worker;
  await enter(core, 'test');
  let done = 0;
  const all = (work: () => Promise<unknown>) =>
    Promise.allSettled(Array.from({ length: 20 }, () => takeTurn(core, 'test', { every: 60_000, work })));
  const isDue = (inMs = 0) =>
    core.models.Task.exists({ _id: 'test', nextAt: { $lte: new Date(Date.now() + inMs) } }).readConcern(NEWEST);
  await all(async () => ++done);
  await all(async () => ++done);
  expect(done).toBe(1);
  expect(await isDue()).toBeNull();
  await core.models.Task.updateOne({ _id: 'test' }, { $set: { nextAt: new Date(0) } });
  const begun = performance.now();
  expect(await takeTurn(core, 'test', { every: 60_000, work: async () => ++done === 2 })).toBe(0);
  expect(done).toBe(2);
  expect(await isDue()).not.toBeNull();
  // The next look comes when the task is due, and sooner when another worker may have had its turn.
  const until = await takeTurn(core, 'test', { every: 60_000, work: async () => ++done });
  expect(until).toBeLessThanOrEqual(60_000);
  expect(until).toBeGreaterThan(60_000 - (performance.now() - begun));
  expect(await takeTurn(core, 'test', { every: 60_000, work: async () => ++done })).toBe(15_000);
  expect(done).toBe(3);
  await core.models.Task.updateOne({ _id: 'test' }, { $set: { nextAt: new Date(0) } });
  const failing = { every: 60_000, work: () => Promise.reject(new Error('no')) };
  await expect(takeTurn(core, 'test', failing)).rejects.toThrow('no');
  expect(await isDue()).toBeNull();
  expect(await isDue(10_000)).not.toBeNull();
});

it('A maintenance task is due although its next time is far away, as after the clock of MongoDB was set back.', async () => {
  const { core } = worker;
  await enter(core, 'set back', 50_000);
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
  let done = 0;
  const turn = (startsAfter?: number) =>
    takeTurn(core, 'set back', { every: 60_000, ...(startsAfter ? { startsAfter } : {}), work: async () => ++done });
  await turn();
  expect(done).toBe(0);
  await core.models.Task.updateOne({ _id: 'set back' }, { $set: { nextAt: hours(2) } });
  await turn(3 * 3_600_000);
  expect(done).toBe(0);
  await turn();
  expect(done).toBe(1);
  await turn();
  expect(done).toBe(1);
});

describe('a chat with an unread message', () => {
  const subject = 'You have unread messages';
  let seq = 0;

  async function buildPerson(): Promise<UserDoc> {
    const _id = newId();
    const username = String(_id);
    const user: UserDoc = {
      _id,
      email: `${username}@hospital.test`,
      username,
      usernameKey: username,
      passwordHash: 'none',
      role: 'patient',
      status: 'active',
      active: true,
      words: [],
      sortKey: '',
      createAt: new Date(),
    };
    await worker.core.models.User.create([user]);
    return user;
  }

  async function write(
    sender: ObjectId,
    { _id: recipient }: UserDoc,
    minutes: number,
    changes: Partial<MessageDoc> = {},
  ) {
    const message: MessageDoc = {
      _id: newId(),
      conversation: conversationOf(sender, recipient),
      seq: ++seq,
      sender,
      recipient,
      members: [sender, recipient],
      content: 'Words',
      createAt: minutesAgo(minutes),
      pending: false,
      ...changes,
    };
    await worker.core.models.Message.create([message]);
    return message;
  }

  const remind = async () => {
    await remindOfMessages(worker.core);
    await enterReminders(worker.core);
  };

  const unreminded = ({ _id }: UserDoc) =>
    worker.core.models.Message.countDocuments({ recipient: _id, readAt: null, remindedAt: null });

  it('causes one mail a quarter of an hour after its oldest unread message, and the next an hour later', async () => {
    const [sender, person, patient] = [newId(), await buildPerson(), await buildPerson()];
    await write(sender, person, 20, { readAt: new Date() });
    await write(sender, person, 16);
    await write(sender, person, 3);
    await write(sender, patient, 14);
    await Promise.all([remind(), remind()]);
    await mailbox.waitFor(person.email, subject);
    expect(await unreminded(person)).toBe(0);
    await write(sender, person, 17);
    await remind();
    const { Reminder } = worker.core.models;
    const put = { user: person._id, dueAt: { $gt: new Date() } };
    await eventually(async () => expect(await Reminder.exists(put)).not.toBeNull());
    expect(mailbox.mails(person.email)).toHaveLength(1);
    // An hour passes.
    await Reminder.updateMany({ user: person._id, sentAt: { $exists: true } }, { $set: { sentAt: minutesAgo(61) } });
    await Reminder.updateOne(put, { $set: { dueAt: minutesAgo(1) } });
    await remind();
    await mailbox.waitFor(person.email, subject, 2);
    expect(mailbox.mails(patient.email)).toEqual([]);
    expect(await unreminded(patient)).toBe(1);
  });

  it('causes a mail even if the message was written late with a lower sequence number', async () => {
    const [sender, person] = [newId(), await buildPerson()];
    const late = await write(sender, person, 16);
    await write(sender, person, 18, { readAt: new Date() });
    const { conversation } = late;
    const read = { members: late.members, seq, lastAt: new Date(), read: { [String(person._id)]: seq } };
    await worker.core.models.Conversation.create([{ _id: conversation, ...read }]);
    await remind();
    await mailbox.waitFor(person.email, subject);
  });
});

import { randomBytes } from 'node:crypto';
import type { LanguageCode } from '@lightbox/contract/languages.js';
import { limits } from '@lightbox/contract/limits.js';
import { defaultNoticeSettings, type NoticeChoices } from '@lightbox/contract/notifications/choices.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { type NewEvent, system } from '@lightbox/core/events/events.js';
import { conversationOf, dispatchMessages } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { ReminderDoc } from '@lightbox/core/models/reminder.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { planReminder } from '@lightbox/core/notifications/reminders.js';
import type { JobData } from '@lightbox/core/queues/jobs.js';
import { moveRequest } from '@lightbox/core/requests/moveRequest.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Mailbox, refusedPrefix, startMailbox } from '@lightbox/testkit/mailbox.js';
import { type PushService, startPushService, type TestBrowser } from '@lightbox/testkit/pushService.js';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailFailed } from '../mail/handOver.js';
import { type RunningWorker, startWorker } from '../worker.js';
import { enterDigests, sendDigest } from './digest.js';
import { enterReminders, sendReminder } from './reminders.js';

let mailbox: Mailbox;
let service: PushService;
let worker: RunningWorker;

beforeAll(async () => {
  [mailbox, service] = await Promise.all([startMailbox(), startPushService()]);
  const vapidKey = randomBytes(32).toString('base64');
  worker = await startWorker(await testConfig({ smtpUrl: mailbox.url, vapidKey, pushOrigins: [service.origin] }));
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  await Promise.all([mailbox?.stop(), service?.stop()]);
});

const secret = 'Planted-Secret-Text';
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const clock = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
/** Hours that contain this moment, and hours that do not, on the clocks of UTC. */
const [quiet, over] = [
  { from: clock(-60), to: clock(120) },
  { from: clock(-120), to: clock(-60) },
];

/** Builds an account with the default choices, apart from these. */
async function buildPerson(choices: Partial<NoticeChoices> = {}, changes: Partial<UserDoc> = {}): Promise<UserDoc> {
  const _id = newId();
  const username = String(_id);
  const user: UserDoc = {
    ...{ _id, email: `${username}@hospital.test`, username, usernameKey: username, passwordHash: 'none' },
    ...{ role: 'patient', status: 'active', active: true, words: [], sortKey: '', createAt: new Date() },
    firstname: secret,
    timeZone: 'UTC',
    notices: { ...defaultNoticeSettings, choices: { ...defaultNoticeSettings.choices, ...choices } },
    ...changes,
  };
  await worker.core.models.User.create([user]);
  return user;
}

const setQuiet = ({ _id }: UserDoc, hours: typeof quiet) =>
  worker.core.models.User.updateOne({ _id }, { $set: { 'notices.quiet': hours } });

async function subscribe({ _id: user }: UserDoc): Promise<TestBrowser> {
  const browser = service.subscribe();
  const { endpoint, keys } = browser.subscription;
  const times = { seenAt: new Date(), expiresAt: minutesAgo(-60) };
  await worker.core.models.PushSubscription.create([
    { _id: newId(), user, session: newId(), endpoint, ...keys, ...times },
  ]);
  return browser;
}

/** Records an event with a notice for these people. Resolves to its image when the notices are delivered. */
async function share(to: UserDoc[], type: 'share.verify' | 'share.create' = 'share.verify'): Promise<ObjectId> {
  const record = newId();
  const recipients = to.map(({ _id }) => _id);
  const event = { type, refs: { share: newId() }, record, recipients, reason: secret } as NewEvent;
  await worker.core.events.record(system, event);
  const done = () => worker.core.models.Event.exists({ record, owed: { $size: 0 } }).readConcern(NEWEST);
  await eventually(async () => expect(await done()).not.toBeNull());
  return record;
}

const notices = ({ _id }: UserDoc, rest = {}) => worker.core.models.Notification.countDocuments({ user: _id, ...rest });
const reminders = ({ _id: user }: UserDoc, channel: ReminderDoc['channel']) =>
  worker.core.models.Reminder.find({ user, channel }).readConcern(NEWEST).sort({ _id: 1 }).lean<ReminderDoc[]>();
const read = ({ _id: user }: UserDoc, record: ObjectId) =>
  worker.core.models.Notification.updateOne({ user, record }, { $set: { unread: false, readAt: new Date() } });

/** Makes the waiting reminders of a person due, and waits until their job is done. */
async function remind(person: UserDoc, channel: ReminderDoc['channel']): Promise<void> {
  const waiting = { user: person._id, channel, dueAt: { $exists: true } };
  await worker.core.models.Reminder.updateMany(waiting, { $set: { dueAt: minutesAgo(1) } });
  await enterReminders(worker.core);
  const due = { ...waiting, dueAt: { $lte: new Date() } };
  await eventually(async () => expect(await worker.core.models.Reminder.exists(due)).toBeNull());
}

const pushed = ({ received }: TestBrowser) => received.map(({ text }) => JSON.parse(text));
/** Pushes one more notice to the browser, so that an earlier push would have arrived before. */
async function untilPushed(browser: TestBrowser, n: number) {
  await browser.untilAsked(n);
  expect(browser.asked()).toBe(n);
}

const off = { app: false, device: false, mail: false };

/** Records an event that may settle notices, and waits until its job is done. */
async function record(event: NewEvent & { record: ObjectId }): Promise<void> {
  await worker.core.events.record(system, event);
  const open = { record: event.record, 'owed.0': { $exists: true } };
  await eventually(async () => expect(await worker.core.models.Event.exists(open).readConcern(NEWEST)).toBeNull());
}

describe('a notice that asks for something', () => {
  it('about an analysis is read once the patient has answered, and not before', async () => {
    const person = await buildPerson();
    const { _id } = person;
    const asked = { record: _id, recipients: [_id] };
    await record({ type: 'consent.asked', ...asked });
    await record({ type: 'consent.changed', record: _id, actor: _id });
    expect(await notices(person, { unread: true })).toBe(1);
    await worker.core.models.User.updateOne({ _id }, { $set: { 'consents.analysis': 'refused' } });
    await record({ type: 'consent.changed', record: _id, actor: _id });
    expect(await notices(person, { unread: true })).toBe(0);
  });

  it('about files that were sent is read once their request has ended, whoever ended it', async () => {
    const { ImageRequest } = worker.core.models;
    const person = await buildPerson({}, { role: 'healthProvider' });
    const request = {
      ...{ _id: newId(), by: person._id, kind: 'file', state: 'received', createAt: new Date(), expiresAt: new Date() },
      ...{ mailed: false, files: 1, bytes: 1, receivedAt: new Date(), keyId: 'k', salt: Buffer.alloc(16) },
    };
    await ImageRequest.collection.insertOne(request as never);
    await record({ type: 'request.received', record: request._id, recipients: [person._id] });
    expect(await notices(person, { unread: true })).toBe(1);
    // As "this was not me" does it.
    await worker.core.events.change(system, (tx) =>
      moveRequest(worker.core, tx, request._id, 'close').then(() => request._id),
    );
    await expect.poll(() => notices(person, { unread: true })).toBe(0);
  });
});

describe('a group of notices', () => {
  it('that is off in the app makes no notice; devices still get it, and the log has its event', async () => {
    const [silent, usual] = [await buildPerson({ shares: { ...off, device: true } }), await buildPerson()];
    const browser = await subscribe(silent);
    const image = await share([silent, usual]);
    await untilPushed(browser, 1);
    expect(pushed(browser)).toEqual([{ kind: 'share.verified', recordId: String(image) }]);
    expect([await notices(silent), await notices(usual)]).toEqual([0, 1]);
    const logged = () => worker.core.models.AuditEntry.countDocuments({ record: image });
    await eventually(async () => expect(await logged()).toBe(1));
  });

  it('that is off on devices is not pushed, and is in the app', async () => {
    const person = await buildPerson({ shares: { ...off, app: true } });
    const browser = await subscribe(person);
    await share([person]);
    const analysed = newId();
    const event = { type: 'analysis.complete' as const, record: analysed, recipients: [person._id] };
    await worker.core.events.record(system, event);
    await untilPushed(browser, 1);
    expect(pushed(browser)).toEqual([{ kind: 'analysis.completed', recordId: String(analysed) }]);
    expect(await notices(person, { kind: 'share.verified' })).toBe(1);
  });
});

describe('quiet hours', () => {
  it('push nothing, and then the number of what is unread, once', async () => {
    const person = await buildPerson({}, { notices: { ...defaultNoticeSettings, quiet } });
    const [desk, phone] = [await subscribe(person), await subscribe(person)];
    const first = await share([person]);
    await share([person]);
    await share([person]);
    await eventually(async () => expect(await reminders(person, 'device')).toHaveLength(3));
    expect(await notices(person, { unread: true })).toBe(3);
    // It is still quiet: the reminders wait for the end.
    await remind(person, 'device');
    const [waiting] = await reminders(person, 'device');
    expect(waiting?.dueAt?.toISOString().slice(11, 16)).toBe(quiet.to);
    await read(person, first);
    await setQuiet(person, over);
    await Promise.all([remind(person, 'device'), enterReminders(worker.core)]);
    for (const browser of [desk, phone]) {
      await untilPushed(browser, 1);
      expect(pushed(browser)).toEqual([{ kind: 'summary', count: 2 }]);
    }
  });

  it('push the one notice that is left as it is, and none when all were read', async () => {
    const [one, none] = [await buildPerson(), await buildPerson()];
    const browsers = [await subscribe(one), await subscribe(none)] as const;
    for (const person of [one, none]) await setQuiet(person, quiet);
    const [image, other] = [await share([one, none]), await share([one, none])];
    for (const person of [one, none]) {
      await eventually(async () => expect(await reminders(person, 'device')).toHaveLength(2));
      await read(person, other);
      await setQuiet(person, over);
    }
    await read(none, image);
    for (const person of [none, one]) await remind(person, 'device');
    await untilPushed(browsers[0], 1);
    expect(pushed(browsers[0])).toEqual([{ kind: 'share.verified', recordId: String(image) }]);
    expect(browsers[1].asked()).toBe(0);
  });

  /** Stores a message to a person. */
  async function writeTo({ _id: recipient }: UserDoc, sender: ObjectId, seq = 1): Promise<MessageDoc> {
    const message = {
      ...{ _id: newId(), conversation: conversationOf(sender, recipient), seq, sender, recipient },
      ...{ members: [sender, recipient], content: secret, createAt: new Date(), pending: true },
    };
    await worker.core.models.Message.create([message]);
    return message;
  }

  it('hold for messages too', async () => {
    const [writer, person] = [await buildPerson(), await buildPerson()];
    const browser = await subscribe(person);
    await setQuiet(person, quiet);
    await dispatchMessages(worker.core, [await writeTo(person, writer._id)]);
    await eventually(async () => expect(await reminders(person, 'device')).toHaveLength(1));
    await setQuiet(person, over);
    await remind(person, 'device');
    await untilPushed(browser, 1);
    expect(pushed(browser)).toEqual([{ kind: 'message.new', recordId: String(writer._id) }]);
  });

  it('do not count a message that was read before a later one of the same chat came', async () => {
    const [writer, person] = [await buildPerson(), await buildPerson()];
    const browser = await subscribe(person);
    const messages = [await writeTo(person, writer._id, 1), await writeTo(person, writer._id, 2)] as const;
    for (const { _id: record } of messages) {
      const about = { kind: 'message.new', about: 'message', record } as const;
      await planReminder(worker.core, { user: person._id, channel: 'device', ...about, dueAt: minutesAgo(-60) });
    }
    await worker.core.models.Message.updateOne({ _id: messages[0]._id }, { $set: { readAt: new Date() } });
    await remind(person, 'device');
    await untilPushed(browser, 1);
    expect(pushed(browser)).toEqual([{ kind: 'message.new', recordId: String(writer._id) }]);
  });
});

describe('a mail about notices', () => {
  const subject = 'There is something new for you in Lightbox';
  const byMail = { shares: { ...off, app: true, mail: true } };
  const minutesIn = (reminder: { dueAt?: Date } | undefined, from: number) =>
    ((reminder?.dueAt?.getTime() ?? 0) - from) / 60_000;

  it('comes after a few minutes, says nothing, and is one an hour', async () => {
    const person = await buildPerson(byMail);
    const begun = Date.now();
    await share([person]);
    await share([person]);
    const [planned] = await reminders(person, 'mail');
    expect(minutesIn(planned, begun)).toBeGreaterThanOrEqual(limits.noticeMailMinutes);
    expect(minutesIn(planned, Date.now())).toBeLessThanOrEqual(limits.noticeMailMinutes);
    await remind(person, 'mail');
    const [mail] = await mailbox.waitFor(person.email, subject);
    expect(mail?.text).not.toMatch(/secret|image|share/i);
    expect(mail?.html).not.toContain(secret);
    expect(mail?.text).toContain('/profile/notifications');
    expect(mail?.headers).toContain('list-unsubscribe');
    await share([person]);
    await remind(person, 'mail');
    const later = (await reminders(person, 'mail')).at(-1);
    expect(minutesIn(later, begun)).toBeGreaterThanOrEqual(limits.noticeMailPauseMinutes);
    expect(minutesIn(later, Date.now())).toBeLessThanOrEqual(limits.noticeMailPauseMinutes);
    expect(mailbox.mails(person.email)).toHaveLength(1);
  });

  it('does not come about read notices, about shares with a mail of their own, or after mail was turned off', async () => {
    const [reader, recipient, changed] = [
      await buildPerson(byMail),
      await buildPerson(byMail),
      await buildPerson(byMail),
    ];
    const image = await share([reader, changed]);
    await share([recipient], 'share.create');
    expect(await reminders(recipient, 'mail')).toEqual([]);
    await read(reader, image);
    await worker.core.models.User.updateOne({ _id: changed._id }, { $set: { 'notices.choices.shares.mail': false } });
    for (const person of [reader, changed]) {
      await remind(person, 'mail');
      expect((await reminders(person, 'mail')).map(({ dueAt, sentAt }) => [dueAt, sentAt])).toEqual([
        [undefined, undefined],
      ]);
    }
    expect([reader, recipient, changed].flatMap(({ email }) => mailbox.mails(email))).toEqual([]);
  });

  it('also comes about a group that is off in the app', async () => {
    const person = await buildPerson({ shares: { ...off, mail: true } });
    await share([person]);
    await remind(person, 'mail');
    await mailbox.waitFor(person.email, subject);
  });

  it('is given up with the last attempt of its job, when the mail server refuses the address', async () => {
    const person = await buildPerson(byMail, { email: `${refusedPrefix}${newId()}@hospital.test` });
    await share([person]);
    await eventually(async () => expect(await reminders(person, 'mail')).toHaveLength(1));
    await worker.core.models.Reminder.updateMany({ user: person._id }, { $set: { dueAt: minutesAgo(1) } });
    const mailer = createTransport(mailbox.url);
    const data = { userId: String(person._id), channel: 'mail' as const };
    const attempt = (isLastAttempt: boolean) => sendReminder(worker.core, mailer, data, { isLastAttempt });
    await expect(attempt(false)).rejects.toThrow(MailFailed);
    expect((await reminders(person, 'mail'))[0]?.dueAt).toBeDefined();
    await expect(attempt(true)).rejects.toThrow(MailFailed);
    const [given] = await reminders(person, 'mail');
    expect([given?.dueAt, given?.sentAt]).toEqual([undefined, undefined]);
  });

  it.each([
    ['analysis.signed', 'en', 'There is something new for you in Lightbox'],
    ['analysis.withdrawn', 'ur', 'Lightbox میں آپ کے لیے کچھ نیا ہے'],
  ] as const)('of %s goes out in %s, and says nothing of the analysis and of people', async (type, language, title) => {
    const person = await buildPerson({ images: { app: true, device: false, mail: true } }, { language });
    const record = newId();
    const event = { type, record, recipients: [person._id], reason: secret };
    await worker.core.events.record(system, event);
    await eventually(async () => expect(await notices(person, { kind: type, record })).toBe(1));
    await eventually(async () => expect(await reminders(person, 'mail')).toHaveLength(1));
    await remind(person, 'mail');
    const [mail] = await mailbox.waitFor(person.email, title);
    const all = `${mail?.text} ${mail?.html}`;
    expect(all).not.toMatch(/opinion|analy|diagnos|sign(ed|ature)|withdraw|رائے|تجزی|تشخیص|دستخط/i);
    for (const word of [secret, String(record)]) expect(all).not.toContain(word);
  });
});

it('the reminders of everybody that are due get their jobs, however many wait for a mail', async () => {
  // Years ahead, so that the running worker finds none of them due meanwhile.
  const now = new Date('2038-09-04T04:15:00Z');
  const mails = Array.from({ length: 1_000 }, () => ({ user: newId(), channel: 'mail' as const }));
  const waiting = [
    ...mails,
    { user: newId(), channel: 'device' as const },
    { user: newId(), channel: 'mail' as const },
  ];
  await worker.core.models.Reminder.insertMany(
    waiting.map((one) => ({
      ...{ ...one, _id: newId(), kind: 'message.new', about: 'message', record: newId() },
      ...{ at: new Date(), dueAt: now },
    })),
  );
  const entered = new Set<string>();
  const add = async (jobs: { data: JobData<'sendReminder'> }[]) => {
    for (const { data } of jobs) entered.add(`${data.channel} ${data.userId}`);
  };
  await enterReminders({ ...worker.core, queues: { add }, clock: { now: () => now } } as never);
  expect(waiting.filter(({ user, channel }) => !entered.has(`${channel} ${user}`))).toHaveLength(0);
});

describe('a digest', () => {
  const buildReader = (changes: Partial<UserDoc> = {}) =>
    buildPerson(
      {},
      {
        notices: { ...defaultNoticeSettings, digest: 'daily', digestAt: clock(-1) },
        nextDigestAt: minutesAgo(1),
        ...changes,
      },
    );
  const nextOf = async ({ _id }: UserDoc) =>
    (await worker.core.models.User.findById(_id).readConcern(NEWEST).lean<UserDoc>())?.nextDigestAt;
  const dayOf = ({ nextDigestAt }: UserDoc) => nextDigestAt?.toISOString().slice(0, 10) ?? '';

  it.each([
    ['en', 'Your summary from Lightbox', 'You have not read: 3 shares, 1 notice about images.'],
    ['ur', 'Lightbox سے آپ کا خلاصہ', 'شیئر: 3، تصاویر کی اطلاعات: 1'],
  ] as [LanguageCode, string, string][])(
    'in %s has the numbers of what is unread, once a day',
    async (language, subject, text) => {
      // Not due yet: the running worker would enter the digest while nothing is unread.
      const person = await buildReader({ language, nextDigestAt: minutesAgo(-60) });
      const due = minutesAgo(1);
      const makeDue = () => worker.core.models.User.updateOne({ _id: person._id }, { $set: { nextDigestAt: due } });
      for (const _ of [1, 2, 3]) await share([person]);
      const event = { type: 'analysis.fail' as const, record: newId(), recipients: [person._id] };
      await worker.core.events.record(system, event);
      await eventually(async () => expect(await notices(person)).toBe(4));
      await makeDue();
      // Several workers, and a job that is run again.
      await Promise.all(Array.from({ length: 5 }, () => enterDigests(worker.core)));
      const [mail] = await mailbox.waitFor(person.email, subject);
      expect(mail?.text).toContain(text);
      expect(mail?.text).not.toContain(secret);
      expect(mail?.headers).toContain('list-unsubscribe');
      const next = await nextOf(person);
      expect(next?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
      // The person chooses a later hour of the same day.
      await makeDue();
      await enterDigests(worker.core);
      const refuse = { sendMail: () => Promise.reject(new Error('A second mail.')) } as never;
      await sendDigest(worker.core, refuse, {
        userId: String(person._id),
        day: dayOf({ ...person, nextDigestAt: due }),
      });
      expect(mailbox.mails(person.email)).toHaveLength(1);
    },
  );

  it('does not come when nothing is unread, nor to a deactivated account, and is due again the next day', async () => {
    const [idle, inactive] = [await buildReader(), await buildReader({ active: false })];
    const image = await share([idle, inactive]);
    await read(idle, image);
    await enterDigests(worker.core);
    const refuse = { sendMail: () => Promise.reject(new Error('A mail.')) } as never;
    for (const person of [idle, inactive]) {
      await sendDigest(worker.core, refuse, { userId: String(person._id), day: dayOf(person) });
      expect((await nextOf(person))?.getTime()).toBeGreaterThan(Date.now());
    }
  });

  it('that waited for the mail server until the next one was due is left to that one', async () => {
    const person = await buildReader({ nextDigestAt: minutesAgo(-24 * 60) });
    await share([person]);
    await eventually(async () => expect(await notices(person)).toBe(1));
    const sent: string[] = [];
    const mailer = createTransport({ jsonTransport: true });
    mailer.use('compile', ({ data }, done) => {
      sent.push(String(data.messageId));
      done();
    });
    const days = [3, 2, 1, 0].map((ago) =>
      minutesAgo(ago * 24 * 60 + 1)
        .toISOString()
        .slice(0, 10),
    );
    for (const day of days) await sendDigest(worker.core, mailer, { userId: String(person._id), day });
    expect(sent).toEqual([expect.stringContaining(String(days.at(-1)))]);
  });

  it('is next due at the hour that the person chose while this one was being entered', async () => {
    const now = new Date('2038-09-04T07:31:00Z');
    const person = await buildReader({
      notices: { ...defaultNoticeSettings, digest: 'daily', digestAt: '07:30' },
      nextDigestAt: new Date('2038-09-04T07:30:00Z'),
    });
    const core = (add: () => Promise<unknown>) =>
      ({ ...worker.core, queues: { add }, clock: { now: () => now } }) as never;
    const choose = () =>
      worker.core.models.User.updateOne({ _id: person._id }, { $set: { 'notices.digestAt': '18:00' } });
    await enterDigests(core(choose));
    // Its job is entered again, under the same id.
    expect(await nextOf(person)).toEqual(person.nextDigestAt);
    await enterDigests(core(async () => {}));
    expect(await nextOf(person)).toEqual(new Date('2038-09-04T18:00:00Z'));
  });

  it('in the first hour of a day that begins an hour late comes once, on its own day', async () => {
    // Years ahead, so that the running worker finds no digest of this person due meanwhile.
    const [before, after] = [Date.parse('2038-09-04T04:15:00Z'), Date.parse('2038-09-06T04:00:00Z')];
    const person = await buildReader({
      notices: { ...defaultNoticeSettings, digest: 'daily', digestAt: '00:15' },
      timeZone: 'America/Santiago',
      nextDigestAt: new Date(before),
    });
    const days: string[] = [];
    const add = async (jobs: { data: JobData<'sendDigest'> }[]) => {
      days.push(...jobs.filter(({ data }) => data.userId === String(person._id)).map(({ data }) => data.day));
    };
    // From the digest of Saturday to that of Monday. At 24:00 of Saturday clocks go on to 01:00 of Sunday.
    for (let at = before; at < after; at += 15 * 60_000) {
      await enterDigests({ ...worker.core, queues: { add }, clock: { now: () => new Date(at) } } as never);
    }
    expect(days).toEqual(['2038-09-04', '2038-09-05', '2038-09-06']);
  });
});

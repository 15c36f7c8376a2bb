import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { Client } from '@lightbox/backend/testing/client.js';
import { buildImage, buildPatient, buildProvider, PASSWORD, type Person } from '@lightbox/backend/testing/factories.js';
import { buildGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { newId } from '@lightbox/core/db/ids.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { startBrokenMailServer } from '@lightbox/testkit/brokenMailServer.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { type RunningWorker, startWorker } from '@lightbox/workers/worker.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

/** A mail server that is away for a while and is back later (security.md, R49). */
let port: number;
let mailbox: Mailbox | undefined;
let test: TestGateway;
let worker: RunningWorker;

beforeAll(async () => {
  port = await freePort();
  test = await buildGateway({ smtpUrl: `smtp://127.0.0.1:${port}?greetingTimeout=500` });
  worker = await startWorker(test.config);
  await worker.ready;
});
afterEach(() => mailbox?.stop());
afterAll(async () => {
  await worker?.stop();
  await test?.stop();
});

/** Starts a server that accepts connections and never sends anything. */
async function startSilence(): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}

const jobs = () => worker.core.queues.all.mail.getJobs(['waiting', 'active', 'delayed', 'failed']);

describe.each([
  ['that refuses connections', async () => async () => undefined],
  ['that accepts connections and never answers', startSilence],
])('a mail server %s', (_, begin) => {
  it('fails no call, and when it is back each mail is sent once, but no expired code', async () => {
    const end = await begin();
    const api = new Client(test.url);
    const people = await Promise.all(Array.from({ length: 4 }, () => buildPatient(test.gateway)));
    const [one, other, forgetful, late] = people as [Person, Person, Person, Person];
    const image = await buildImage(test.gateway, { owner: await buildProvider(test.gateway) });
    for (const { email } of [one, other, late])
      await api.post('/auth/login', { email, password: PASSWORD }).expect(200);
    await api.post('/auth/forgot-password', { email: forgetful.email }).expect(200);
    const share = { imagemetadataId: image.id, createdfor: one.id };
    await api.as(image.owner).post('/sharing/request', share).expect(201);

    await eventually(async () => {
      const tried = (await jobs()).filter(({ attemptsStarted }) => attemptsStarted > 0);
      expect(tried).toHaveLength(5);
      expect(tried.filter(({ attemptsMade }) => attemptsMade > 0)).toEqual([]);
    });
    await test.gateway.models.Code.updateMany({ user: late._id }, { $set: { expiresAt: test.clock.now() } });
    await end();
    mailbox = await startMailbox(port);

    const mails = [
      ...(await mailbox.waitFor(one.email, 'Your verification code', 1)),
      ...(await mailbox.waitFor(other.email, 'Your verification code', 1)),
      ...(await mailbox.waitFor(forgetful.email, 'Your password reset code', 1)),
      ...(await mailbox.waitFor(one.email, 'An image was shared with you', 1)),
    ];
    await eventually(async () => expect(await jobs()).toEqual([]));
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(4);
    expect(people.flatMap(({ email }) => mailbox?.mails(email) ?? [])).toHaveLength(4);
    expect(mailbox.mails(late.email)).toEqual([]);
  });
});

it('A mail server that takes each mail and breaks off gets it once for each attempt, and not without end.', async () => {
  const server = await startBrokenMailServer('text', (socket) => void socket.destroy(), port);
  onTestFinished(server.stop);
  const { email, _id } = await buildPatient(test.gateway);
  const event = { _id: newId(), type: 'user.approve', record: _id, refs: {} };
  await test.gateway.models.Event.collection.insertOne(event as never);
  const data = { eventId: String(event._id), template: 'accountApproved' };
  // Without the pauses between the attempts.
  const job = await worker.core.queues.all.mail.add('sendMail', data, { attempts: 3 });
  await eventually(async () => expect(await job.isFailed()).toBe(true));
  const copies = server.texts.filter((text) => text.includes(`To: ${email}`));
  expect(copies).toHaveLength(3);
  expect(new Set(copies.map((text) => /^Message-ID: (.*)$/im.exec(text)?.[1])).size).toBe(1);
});

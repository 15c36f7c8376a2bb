import { randomUUID } from 'node:crypto';
import { Client, connectSocket, type TestSocket } from '@lightbox/backend/testing/client.js';
import { buildPatient, buildProvider, PASSWORD, type Person } from '@lightbox/backend/testing/factories.js';
import { firstAdmin, joinGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { noisePng } from '@lightbox/campaigns/bench/files.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { startWire, type Wire } from '@lightbox/testkit/wire.js';
import { type RunningWorker, startWorker } from '@lightbox/workers/worker.js';
import type { Test } from 'supertest';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

/** A gateway and a worker whose connections to MongoDB and Redis are slow, reset or silent (security.md, R74). */
let mongodb: Wire;
let redis: Wire;
let mailbox: Mailbox;
let test: TestGateway;
let worker: RunningWorker;
let provider: Person;
let patient: Person;
let socket: TestSocket;
let api: Client;

/** Timeouts that are as short as the slow network below allows. The product's own are five, two and five seconds. */
const times = { serverSelectionTimeoutMS: 1_500, heartbeatFrequencyMS: 500, connectTimeoutMS: 2_500 };
/** The time until the silence is noticed, and until two searches for another server have timed out. */
const BOUND_MS = times.heartbeatFrequencyMS + times.connectTimeoutMS + 2 * times.serverSelectionTimeoutMS + 1_500;
/** The longest call takes about two seconds on a quiet machine. With one wait for Redis after the other it would take nine. */
const LONGEST_MS = 8_000;
/** The connections of a process to MongoDB: for calls, and for the driver's heartbeat. */
const [POOL, HEARTBEATS] = [30, 2];
const MANY = POOL + 15;

beforeAll(async () => {
  mailbox = await startMailbox();
  const config = await testConfig({ admin: firstAdmin, smtpUrl: mailbox.url });
  const [mongodbUri, redisUrl] = [new URL(config.mongodbUri), new URL(config.redisUrl)];
  mongodb = await startWire(mongodbUri.hostname, Number(mongodbUri.port));
  redis = await startWire(redisUrl.hostname, Number(redisUrl.port));
  mongodbUri.port = String(mongodb.port);
  redisUrl.port = String(redis.port);
  // The replica set reports its own address, which would bypass the wire.
  mongodbUri.searchParams.set('directConnection', 'true');
  for (const [name, ms] of Object.entries(times)) mongodbUri.searchParams.set(name, String(ms));
  const wired = { ...config, mongodbUri: mongodbUri.href, redisUrl: redisUrl.href };
  test = await joinGateway(wired);
  worker = await startWorker(wired);
  await worker.ready;
  patient = await buildPatient(test.gateway);
  socket = await connectSocket(test.url, { token: patient.token });
});
/** A new person for each test, because the request limits are on. They cause most of the Redis commands. */
beforeEach(async () => {
  provider = await buildProvider(test.gateway);
  api = new Client(test.url).as(provider);
});
afterEach(() => {
  for (const wire of [mongodb, redis]) {
    wire.pass();
    wire.slow(0, 0);
    wire.tear(0);
  }
});
afterAll(async () => {
  socket?.socket.close();
  await worker?.stop();
  await test?.stop();
  await mailbox?.stop();
  await Promise.all([mongodb?.stop(), redis?.stop()]);
});

interface Outcome {
  status: number;
  ms: number;
  /** The reason why a refusal is wrong: it must be "come back later", in the product's envelope. */
  fault?: string;
}

const later = ['UNAVAILABLE', 'UNCONFIRMED'];

async function outcome(call: Test): Promise<Outcome> {
  const since = performance.now();
  const { status, body, headers } = await call.ok(() => true);
  const isLater = status === 503 && later.includes(body.error) && body.requestId && Number(headers['retry-after']) > 0;
  const fault = status < 300 || isLater ? {} : { fault: JSON.stringify(body) };
  return { status, ms: performance.now() - since, ...fault };
}

/** The messages that were sent, by `clientId`, and the ids of those that were acknowledged. */
const said = new Map<string, string>();
const taken = new Set<string>();

async function say(clientId: string = randomUUID()): Promise<Outcome> {
  const content = said.get(clientId) ?? `Message ${said.size}`;
  said.set(clientId, content);
  const done = await outcome(api.post('/message/send', { recipientId: patient.id, content, clientId }));
  if (done.status < 300) taken.add(clientId);
  return done;
}

const login = () => new Client(test.url).post('/auth/login', { email: provider.email, password: PASSWORD });
const upload = () => api.upload(noisePng(100_000)).set('Idempotency-Key', randomUUID());

/** Makes calls of each kind, with more reads than there are connections. */
const everything = (reading = MANY): Promise<Outcome>[] => [
  ...Array.from({ length: reading }, () => outcome(api.get('/users'))),
  ...Array.from({ length: 8 }, () => say()),
  outcome(login()),
  outcome(upload()),
];

const faults = (outcomes: Outcome[]) => outcomes.filter(({ fault }) => fault);
const slowest = (outcomes: Outcome[]) => Math.max(...outcomes.map(({ ms }) => ms));
const statuses = (outcomes: Outcome[]) => [...new Set(outcomes.map(({ status }) => status))].sort();

/** Checks that no connection is exhausted or hanging, that a job runs, and that every message is stored once and in order. */
async function expectAllWell(): Promise<void> {
  await eventually(async () => expect((await fetch(`${test.url}/readyz`)).status).toBe(200));
  const before = mailbox.mails(provider.email).length;
  const outcomes = await Promise.all(everything());
  expect(statuses(outcomes)).toEqual([200, 201]);
  expect(slowest(outcomes)).toBeLessThan(whenBusy(LONGEST_MS));
  expect(mongodb.open()).toBeLessThanOrEqual(2 * (POOL + HEARTBEATS));
  await mailbox.waitFor(provider.email, 'Your verification code', before + 1);
  for (const clientId of said.keys()) if (!taken.has(clientId)) await say(clientId);
  expect(taken.size).toBe(said.size);
  const stored = await test.gateway.models.Message.find({}).sort({ seq: 1 }).lean();
  expect(stored.map(({ content }) => content).sort()).toEqual([...said.values()].sort());
  await eventually(async () => {
    expect(await test.gateway.models.Message.countDocuments({ pending: true })).toBe(0);
    expect(await test.gateway.models.Event.countDocuments({ pending: true })).toBe(0);
    expect(new Set(socket.seen('message:new').map((shown) => (shown as { id: string }).id)).size).toBe(stored.length);
  });
}

describe('a network that', () => {
  it('drops all traffic to MongoDB ends every call soon with 503, and everything works when MongoDB is back', async () => {
    const calls = everything();
    mongodb.hold();
    const outcomes = await Promise.all([...calls, ...everything()]);
    expect(faults(outcomes)).toEqual([]);
    expect(statuses(outcomes)).toContain(503);
    expect(slowest(outcomes)).toBeLessThan(whenBusy(BOUND_MS));
    expect(await fetch(`${test.url}/readyz`).then(({ status }) => status)).toBe(503);
    mongodb.pass();
    await expectAllWell();
  });

  it('drops all traffic to Redis does not stop calls, and waiting work is done when Redis is back', async () => {
    redis.hold();
    const outcomes = await Promise.all(everything());
    expect(statuses(outcomes)).toEqual([200, 201]);
    expect(slowest(outcomes)).toBeLessThan(whenBusy(LONGEST_MS));
    // Redis is known to be away now, so calls no longer wait two seconds for it: ten would take twenty.
    let took = 0;
    for (let i = 0; i < 10; i++) took += (await say()).ms;
    expect(took).toBeLessThan(15_000);
    redis.pass();
    await expectAllWell();
  });

  it('delays everything by about 300 ms makes calls slower, but none fails', async () => {
    for (const wire of [mongodb, redis]) wire.slow(300, 200);
    const outcomes = await Promise.all(everything(5));
    for (const wire of [mongodb, redis]) wire.slow(0, 0);
    expect(statuses(outcomes)).toEqual([200, 201]);
    await expectAllWell();
  });

  it('resets a connection with every hundredth chunk causes only answers and 503', async () => {
    for (const wire of [mongodb, redis]) wire.tear(100);
    do expect(faults(await Promise.all(everything()))).toEqual([]);
    while (mongodb.torn() < 3 || redis.torn() < 3);
    for (const wire of [mongodb, redis]) wire.tear(0);
    await expectAllWell();
  });
});

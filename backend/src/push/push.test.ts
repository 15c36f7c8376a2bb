import { randomBytes } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { vapidPublicKey } from '@lightbox/core/config/keys.js';
import type { PushSubscriptionDoc } from '@lightbox/core/models/pushSubscription.js';
import { type PushService, startPushService, type TestBrowser } from '@lightbox/testkit/pushService.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, connectSocket } from '../testing/client.js';
import { buildAdmin, buildPatient, buildProvider, PASSWORD, type Person, signIn } from '../testing/factories.js';
import { buildGateway, type TestGateway } from '../testing/gateway.js';

let service: PushService;
let test: TestGateway;
let api: Client;
const vapidKey = randomBytes(32).toString('base64');

beforeAll(async () => {
  service = await startPushService();
  test = await buildGateway({ vapidKey, pushOrigins: [service.origin] });
  api = new Client(test.url);
});
afterAll(async () => {
  await test.stop();
  await service.stop();
});

const subscribe = (person: Person | string, { subscription }: TestBrowser = service.subscribe()) =>
  api.as(person).post('/push/subscriptions', { ...subscription, expirationTime: null });
const kept = (person: Person): Promise<PushSubscriptionDoc[]> =>
  test.gateway.models.PushSubscription.find({ user: person._id }).sort({ seenAt: 1 }).lean<PushSubscriptionDoc[]>();

describe('GET /push/key', () => {
  it('the answer is the key that browsers subscribe with', async () => {
    const { body } = await api
      .as(await buildPatient(test.gateway))
      .get('/push/key')
      .expect(200);
    expect(body.data).toEqual({ key: vapidPublicKey(vapidKey) });
    expect(Buffer.from(body.data.key, 'base64url')).toHaveLength(65);
  });

  it('without a key the answer is null, and subscriptions are refused', async () => {
    const silent = await buildGateway();
    const person = await buildPatient(silent.gateway);
    const quiet = new Client(silent.url).as(person);
    expect((await quiet.get('/push/key').expect(200)).body.data).toEqual({ key: null });
    const { body } = await quiet.post('/push/subscriptions', service.subscribe().subscription).expect(409);
    expect(body.error).toBe('PUSH_OFF');
    await silent.stop();
  });
});

describe('POST /push/subscriptions', () => {
  it('repeated subscriptions of a browser are one record', async () => {
    const person = await buildProvider(test.gateway);
    const browser = service.subscribe();
    const first = await subscribe(person, browser).expect(201);
    const again = await subscribe(person, browser).expect(200);
    expect(again.body.data).toEqual(first.body.data);
    expect(await kept(person)).toHaveLength(1);
    const { models } = test.gateway;
    expect(await models.Event.countDocuments({ type: 'push.subscribe', actor: person._id })).toBe(1);
  });

  it('concurrent first subscriptions of a browser are one record', async () => {
    const person = await buildPatient(test.gateway);
    const browser = service.subscribe();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => subscribe(person, browser)));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await kept(person)).toHaveLength(1);
  });

  it('a browser belongs to the account that signed in there last', async () => {
    const [first, second] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    const browser = service.subscribe();
    await subscribe(first, browser).expect(201);
    await subscribe(second, browser).expect(200);
    expect(await kept(first)).toEqual([]);
    expect(await kept(second)).toMatchObject([{ endpoint: browser.subscription.endpoint, session: second.sessionId }]);
  });

  it('beyond the limit the browser that was seen the longest ago is removed', async () => {
    const person = await buildPatient(test.gateway);
    const browsers = Array.from({ length: limits.pushSubscriptions + 1 }, () => service.subscribe());
    for (const browser of browsers) {
      test.clock.forward({ seconds: 1 });
      await subscribe(person, browser).expect(201);
    }
    expect((await kept(person)).map(({ endpoint }) => endpoint)).toEqual(
      browsers.slice(1).map(({ subscription }) => subscription.endpoint),
    );
  });

  it('a subscription expires at the time of its push service, or when the browser was not seen for long', async () => {
    const person = await buildPatient(test.gateway);
    const soon = test.clock.now().getTime() + 60_000;
    await api
      .as(person)
      .post('/push/subscriptions', { ...service.subscribe().subscription, expirationTime: soon })
      .expect(201);
    await subscribe(person).expect(201);
    const [short, long] = await kept(person);
    expect(short?.expiresAt.getTime()).toBe(soon);
    expect(long?.expiresAt.getTime()).toBeGreaterThan(soon + (limits.pushDays - 1) * 86_400_000);
  });

  const { keys } = { keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) } };
  it.each([
    ['endpoint', { endpoint: 'push.example.org/x' }],
    ['endpoint', { endpoint: 'javascript:alert(1)' }],
    ['endpoint', { endpoint: `https://push.example.org/${'x'.repeat(limits.pushEndpointLength)}` }],
    ['endpoint', { endpoint: 'http://push.example.org/x' }],
    ['endpoint', { endpoint: 'https://127.0.0.1/x' }],
    ['endpoint', { endpoint: 'https://localhost/x' }],
    ['endpoint', { endpoint: 'https://[::1]/x' }],
    ['endpoint', { endpoint: 'https://169.254.169.254/latest/meta-data' }],
    ['endpoint', { endpoint: 'https://10.1.2.3/x' }],
    ['endpoint', { endpoint: 'https://push.example.org:6379/x' }],
    ['keys.p256dh', { keys }],
    ['keys.p256dh', { keys: { ...keys, p256dh: 'short' } }],
    ['keys.auth', { keys: { ...keys, auth: 'x'.repeat(23) } }],
    ['expirationTime', { expirationTime: 'tomorrow' }],
    ['', { more: 1 }],
  ])('refuses %s: %j', async (field, change) => {
    const person = await buildPatient(test.gateway);
    const { body } = await api
      .as(person)
      .post('/push/subscriptions', { ...service.subscribe().subscription, ...change })
      .expect(422);
    expect(body.errors.map((one: { field: string }) => one.field)).toEqual([field || expect.any(String)]);
    expect(await kept(person)).toEqual([]);
  });

  it('new subscriptions are throttled, because each one makes the server resolve an address', async () => {
    const slow = await buildGateway({ vapidKey, rateLimits: true });
    const quiet = new Client(slow.url).as(await buildPatient(slow.gateway));
    const { keys: good } = service.subscribe().subscription;
    const tries = Array.from({ length: throttles.pushSubscription.points }, (_, i) =>
      quiet.post('/push/subscriptions', { endpoint: `https://127.0.0.1/${i}`, keys: good }),
    );
    for (const { status } of await Promise.all(tries)) expect(status).toBe(422);
    await quiet.post('/push/subscriptions', { endpoint: 'https://127.0.0.1/', keys: good }).expect(429);
    await slow.stop();
  });
});

describe('DELETE /push/subscriptions', () => {
  it('a subscription is ended by its owner, and by no other person', async () => {
    const [person, other] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    const browser = service.subscribe();
    await subscribe(person, browser).expect(201);
    const { endpoint } = browser.subscription;
    await api.as(other).del('/push/subscriptions', { endpoint }).expect(200);
    expect(await kept(person)).toHaveLength(1);
    await api.as(person).del('/push/subscriptions', { endpoint }).expect(200);
    await api.as(person).del('/push/subscriptions', { endpoint }).expect(200);
    expect(await kept(person)).toEqual([]);
  });
});

describe('a subscription ends', () => {
  it('with signing out of its session, and no other', async () => {
    const person = await buildPatient(test.gateway);
    const elsewhere = await signIn(test.gateway, person._id);
    await subscribe(person).expect(201);
    await subscribe(elsewhere.token).expect(201);
    await api.as(person).post('/auth/logout', {}).expect(200);
    expect(await kept(person)).toMatchObject([{ session: elsewhere.sessionId }]);
  });

  it('with the account that is deactivated, though its session was over before', async () => {
    const [admin, person] = [await buildAdmin(test.gateway), await buildProvider(test.gateway)];
    await subscribe(person).expect(201);
    const { Session } = test.gateway.models;
    await Session.updateOne({ _id: person.sessionId }, { $set: { endedAt: new Date(), endReason: 'expired' } });
    expect(await kept(person)).toHaveLength(1);
    await api.as(admin).put(`/users/toggleUserStatus/${person.id}`).expect(200);
    expect(await kept(person)).toEqual([]);
  });

  it('with the account that is closed', async () => {
    const person = await buildProvider(test.gateway);
    await subscribe(person).expect(201);
    await api.as(person).del('/users/profile', { password: PASSWORD }).expect(200);
    expect(await kept(person)).toEqual([]);
  });
});

describe('a tab in the foreground', () => {
  const isForeground = async (person: Person) => (await test.gateway.foreground.online([person.id])).size === 1;

  it('a user is in the foreground while at least one of their tabs is visible', async () => {
    const person = await buildPatient(test.gateway);
    const seen = await connectSocket(test.url, { token: person.token, visible: true });
    const hidden = await connectSocket(test.url, { token: person.token, visible: false });
    await expect.poll(() => isForeground(person)).toBe(true);
    expect(await seen.ask('visible', { visible: false })).toEqual({ data: null });
    expect(await isForeground(person)).toBe(false);
    await hidden.ask('visible', { visible: true });
    expect(await isForeground(person)).toBe(true);
    hidden.socket.close();
    await expect.poll(() => isForeground(person)).toBe(false);
    expect((await test.gateway.presence.online([person.id])).size).toBe(1);
    seen.socket.close();
  });

  it('a tab that does not report its visibility is not in the foreground', async () => {
    const person = await buildPatient(test.gateway);
    const { socket, ask } = await connectSocket(test.url, { token: person.token });
    expect(await ask('visible', { visible: 'yes' })).toMatchObject({ error: 'VALIDATION_FAILED' });
    expect(await isForeground(person)).toBe(false);
    socket.close();
  });
});

import { limits } from '@lightbox/contract/limits.js';
import { freePort } from '@lightbox/core/embedded/ports.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildPatient, buildProvider, buildShare, PASSWORD, type Person } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { buildGateway, type TestGateway } from '../testing/gateway.js';

const { throttle } = limits;
const WRONG = 'Wrong-Pass-1';

describe('limits', () => {
  let test: TestGateway;
  let api: Client;

  beforeAll(async () => {
    test = await buildGateway({ rateLimits: true, trustProxy: 1 });
    api = new Client(test.url);
  });
  afterAll(() => test.stop());

  it('of uploads are an hour’s, and count what is refused before it is read', async () => {
    const provider = api.as(await buildProvider(test.gateway));
    for (let i = 0; i < throttle.uploadsPerHour; i++)
      await provider.raw('/upload/image', 'text/plain', 'x').expect(415);
    const refused = await provider.upload(files.png).expect(429);
    expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
    expect(refused.body.error).toBe('TOO_MANY_REQUESTS');
  });

  it('of an address close it after fifty failures, whatever the accounts, and no other address', async () => {
    const { email } = await buildPatient(test.gateway);
    const login = (i: number, address: string, password = WRONG) =>
      api
        .post('/auth/login', { email: i < 0 ? email : `guess${i}@hospital.test`, password })
        .set('X-Forwarded-For', address);
    for (let i = 0; i < throttle.loginFailuresPerAddress; i++) await login(i, '203.0.113.50').expect(401);
    await login(-1, '203.0.113.50', PASSWORD).expect(429);
    await login(-1, '203.0.113.51', PASSWORD).expect(200);
  });

  it('are no better for headers that name other addresses than the proxy did', async () => {
    const { email } = await buildPatient(test.gateway);
    const login = (i: number) =>
      api.post('/auth/login', { email, password: WRONG }).set({
        'X-Forwarded-For': `198.51.100.${i}, 203.0.113.60`,
        'X-Real-IP': `198.51.100.${i}`,
        Forwarded: `for=198.51.100.${i}`,
      });
    for (let i = 0; i < throttle.loginFailuresPerAccountAddress; i++) await login(i).expect(401);
    await login(99).expect(429);
  });

  it('of one share are five guesses in all, from wherever they come, and no guess opens it', async () => {
    const share = await buildShare(test.gateway);
    const guess = (i: number) =>
      api
        .as(share.recipient)
        .post('/sharing/verify', { sharingRequestId: share.id, verificationCode: String(i).padStart(6, '0') })
        .set('X-Forwarded-For', `203.0.113.${i % 50}`);
    const codes = Array.from({ length: 300 }, (_, i) => i).filter((i) => String(i).padStart(6, '0') !== share.code);
    const statuses: number[] = [];
    for (let i = 0; i < codes.length; i += 25) {
      statuses.push(...(await Promise.all(codes.slice(i, i + 25).map(guess))).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 422)).toHaveLength(limits.codeTries);
    expect(new Set(statuses)).toEqual(new Set([422, 423]));
    await guess(Number(share.code)).expect(423);
    const failed = await test.gateway.models.Event.countDocuments({
      actor: share.recipient._id,
      type: 'share.verify',
      status: 'failed',
    });
    expect(failed).toBeGreaterThanOrEqual(limits.codeTries);
  });
});

describe('while Redis is away', () => {
  let test: TestGateway;
  let person: Person;

  beforeAll(async () => {
    test = await buildGateway({ rateLimits: true, redisUrl: `redis://127.0.0.1:${await freePort()}/0` });
    person = await buildPatient(test.gateway);
  });
  afterAll(() => test.stop());

  it('guessing is limited all the same, by each gateway for itself', async () => {
    const login = (password: string) => new Client(test.url).post('/auth/login', { email: person.email, password });
    for (let i = 0; i < throttle.loginFailuresPerAccountAddress; i++) await login(WRONG).expect(401);
    const refused = await login(PASSWORD).expect(429);
    expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
  });

  it('messages are sent and limited, and reading goes on', async () => {
    const api = new Client(test.url).as(person);
    const provider = await buildProvider(test.gateway);
    const send = () => api.post('/message/send', { recipientId: provider.id, content: 'Hello' });
    const answers = await Promise.all(Array.from({ length: throttle.messagesPerMinute + 1 }, send));
    expect(
      answers
        .map(({ status }) => status)
        .sort()
        .slice(-2),
    ).toEqual([201, 429]);
    await api.get('/users').expect(200);
  });
});

import { throttles } from '@lightbox/contract/throttles.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildPatient, buildProvider, PASSWORD } from '../testing/factories.js';
import { buildGateway, joinGateway, type TestGateway } from '../testing/gateway.js';

let test: TestGateway;
let other: TestGateway;

beforeAll(async () => {
  test = await buildGateway({ rateLimits: true, trustProxy: 1 });
  other = await joinGateway(test.config);
});
afterAll(() => Promise.all([test.stop(), other.stop()]));

it('ten wrong passwords close an account to one address, on every gateway, and to no other address', async () => {
  const { email } = await buildPatient(test.gateway);
  const login = (url: string, password: string, address: string) =>
    new Client(url).post('/auth/login', { email, password }).set('X-Forwarded-For', address);
  for (let i = 0; i < throttles.loginPair.points; i++) {
    await login(i % 2 ? test.url : other.url, 'Wrong-Pass-1', '203.0.113.7').expect(401);
  }
  const refused = await login(other.url, PASSWORD, '203.0.113.7').expect(429);
  expect(refused.body.error).toBe('TOO_MANY_REQUESTS');
  expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
  await login(test.url, PASSWORD, '203.0.113.8').expect(200);
});

it('a right password among many guesses at once is not looked at either', async () => {
  const { email } = await buildPatient(test.gateway);
  const login = (password: string) =>
    new Client(test.url).post('/auth/login', { email, password }).set('X-Forwarded-For', '203.0.113.10');
  const passwords = Array.from({ length: 30 }, (_, i) => (i === 20 ? PASSWORD : 'Wrong-Pass-1'));
  const statuses = (await Promise.all(passwords.map(login))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(throttles.loginPair.points);
  expect(statuses[20]).toBe(429);
});

it('right passwords are not counted', async () => {
  const { email } = await buildProvider(test.gateway, { status: 'pending' });
  const login = () => new Client(test.url).post('/auth/login', { email, password: PASSWORD });
  for (let i = 0; i <= throttles.loginPair.points; i++) await login().expect(403);
});

it('reset mails are three an hour, whether or not there is an account', async () => {
  const { email } = await buildPatient(test.gateway);
  for (const address of [email, 'nobody@hospital.test']) {
    const forgot = () => new Client(test.url).post('/auth/forgot-password', { email: address });
    for (let i = 0; i < throttles.resetPair.points; i++) await forgot().expect(200);
    await forgot().expect(429);
  }
});

it('sign-in codes are ten an hour', async () => {
  const { email } = await buildPatient(test.gateway);
  const login = () => new Client(test.url).post('/auth/login', { email, password: PASSWORD });
  const { body } = await login().expect(200);
  const resend = () => new Client(test.url).as(body.data.token).post('/auth/resend-code', {});
  for (let i = 1; i < throttles.verificationMail.points; i++) await resend().expect(200);
  await resend().expect(429);
  await login().expect(429);
});

it('messages are a hundred a minute', async () => {
  const [from, to] = [await buildPatient(test.gateway), await buildProvider(test.gateway)];
  const api = new Client(test.url).as(from);
  const send = () => api.post('/message/send', { recipientId: to.id, content: 'Hello' });
  const answers = await Promise.all(Array.from({ length: throttles.message.points + 5 }, send));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(throttles.message.points);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
});

it('ten registrations an hour come from one address', async () => {
  const register = () =>
    new Client(test.url).post('/auth/register', { email: 'x' }).set('X-Forwarded-For', '203.0.113.9');
  await register().expect(422);
  const full = (i: number) => ({
    email: `many${i}@hospital.test`,
    username: `many${i}`,
    password: PASSWORD,
    role: 'healthProvider',
    firstname: 'Ada',
    lastname: 'Many',
  });
  const statuses: number[] = [];
  for (let i = 0; i <= throttles.registration.points; i++) {
    const { status } = await new Client(test.url).post('/auth/register', full(i)).set('X-Forwarded-For', '203.0.113.9');
    statuses.push(status);
  }
  expect(statuses.slice(-2)).toEqual([201, 429]);
});
